"""Words that tell the role of her and his beside them.

The lists were written by hand and checked on him and his in novels: put her in their place, and
the rules must find out which it was.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


PREPOSITIONS = _set("""
    aboard about above across after against along alongside amid amidst among amongst around as at
    before behind below beneath beside besides between beyond by concerning despite down during
    except for from in into like near of off on onto out over past per since than through
    throughout till to toward towards under underneath until unto up upon via with within without
""")

CONJUNCTIONS = _set("""
    although and because but if lest nor or that though unless when whenever where whereas
    whereupon wherever whether whereby whereof while whilst
""")

DETERMINERS = _set("""
    a an another any both each either enough her his its my neither no none our some
    something somewhat that the various whichever their these this those what whatever which your
""")

PRONOUNS = _set("""
    anybody anyone anything everybody everyone everything he hers herself him himself how i it
    itself me mine myself nobody nothing ourselves she somebody someone they them
    themselves thee thou thy us we who whom whose why ye you yours yourself yourselves
""")

AUXILIARIES = _set("""
    ain't am are aren't be been can't cannot could couldn't did didn't do does doesn't don't
    had hadn't has hasn't have haven't is isn't may must mustn't shall should shouldn't was
    wasn't were weren't would wouldn't won't
""")

PLACES_AND_TIMES = _set("""
    abashed abroad affrighted afresh aghast anymore afterwards afterward again ago ahead alike aloft alone along aloud anew anyhow
    anyway anywhere apart ashore aside asleep astray away awake backward backwards downstairs
    downward elsewhere everywhere forever forth forward forwards further hence henceforth
    here hereafter hither however indeed indoors instead meanwhile moreover nevertheless
    nonetheless nowhere outdoors perhaps maybe please anon askance beforehand by-and-by ere forthwith hitherto longer later nay save straightway doubtless sideways simultaneously sometimes therefor somehow somewhere
    soon sooner thence there thereafter therefore thereupon thither thus to-day to-morrow
    to-night today together tomorrow tonight too upstairs upward upwards whence
    yesterday altogether accordingly otherwise lately quite merely simply instantly
    immediately suddenly presently directly already also
""")

BARE_VERBS = _set("""
    admit appear arrive ascend ask await become befall beg begin behave behold belong bring
    came carry choose cling come confess consider continue deal decide descend die discover
    eat enter exclaim explain feel follow forget forgive get give go grow happen hear
    imagine know learn leap lend lose made marry meet obey perceive possess proceed
    pursue realize realise receive recognize recognise remain remember repeat
    say seek seem send sit speak spend stagger stood suffer suppose
    take teach tell think told tremble understand undergo vanish weep went
""")
"""Verbs that are hardly ever nouns or adjectives."""

AFTER_OBJECT = PREPOSITIONS | CONJUNCTIONS | DETERMINERS | PRONOUNS | AUXILIARIES | PLACES_AND_TIMES
AFTER_OBJECT |= BARE_VERBS
"""What follows her when it is an object, as him would be."""

SOFT = _set("""
    all almost always better clean close cold dead deep early even ever every extremely friendly kindly can will might sound definite noble dearer tall fair false far fast
    first flat free full good half hard high home ill just last late least less little long
    loose loud low mad many more most much naked near nearly never next now not often once one
    only open over-much pale rather ready right round safe short sick since so straight still
    such then very well wide wild worse worst yet back left inside outside single several two three
    four five six seven eight nine ten twenty thirty forty fifty hundred being alive afraid aware
    happy sad angry crazy nervous anxious welcome farewell goodbye good-bye justice credit
    thanks twice thrice double plenty company silent quiet warm comfortable uncomfortable uneasy
    miserable unhappy guilty responsible worthy unworthy capable incapable beautiful pretty
    jealous furious unconscious speechless senseless breathless captive prisoner master
    mistress queen king money food water tea coffee flowers questions stories things bread
    directions advice permission leave time trouble pain pleasure honour honor warning notice
    lessons love word words years previous papa
""")
"""What may follow both: an adverb, a predicate, or a noun that is a second object."""

BEFORE_NOUN = _set("""
    best beautiful cold dead deep double early fair first four full good happy high last late
    little long low left most naked only open pale quiet right short silent single six
    three two warm wide wild young old own
""")
"""Those of them that are an adjective of hers if a noun comes next."""

NOUNS = _set("""
    back company coffee directions flowers food home honour honor lessons love money pain
    pleasure questions stories tea things time trouble water word words
""")
"""Those of them that are hers after a preposition such as of or on."""

ALWAYS_BEFORE_NOUN = _set("and at in into of on upon")

TIMES = _set("""
    afternoon day days evening hour hours minute minutes month months morning night nights second
    seconds spring summer sunday monday tuesday wednesday thursday friday saturday time week
    weeks winter year years autumn times
""")

KIN = _set("""
    aunt baby babies boss boyfriend brother brothers buddy child children co-worker colleague
    companion companions cousin cousins coworker dad daddy daughter daughters dog ex father
    fiance fiancé fiancee fiancée friend friends girlfriend grandchildren grandfather grandma
    grandmother grandpa grandson granddaughter guest guests husband kid kids mama mamma mom mommy
    mother nephew niece neighbor neighbour papa parent parents roommate sibling siblings sister
    sisters sister-in-law brother-in-law mother-in-law father-in-law son sons spouse student
    students teacher teammate teammates uncle wife
""")

BODY = _set("""
    arm arms body breath cheek cheeks chest chin ear ears elbow eye eyes face feet finger
    fingers fist foot forehead gaze hair hand hands head heart heels hip hips knee knees lap
    leg legs lip lips mouth neck nose palm shoulder shoulders skin stomach teeth throat
    thumb toe toes tongue voice waist wrist
""")

BELONGINGS = _set("""
    apartment backpack bag bed bedroom belongings bicycle bike birthday boat book books bicycle
    business camera car career cell chair cheeks class clothes coat computer costume desk door
    dress eyebrows family fate glasses guitar hat helmet horse house instrument jacket
    job journey keys kitchen laptop life living luggage lunch mind name nerves
    opinion phone pocket pockets purse reflection room scarf self shirt shoes skateboard skirt
    soul spirits stuff sunglasses surfboard team temper thoughts umbrella utmost way wallet
    weight wedding whereabouts workout wits
""")

HONOURS = _set("""
    ladyship lordship majesty highness excellency eminence holiness
    own
""")
"""What follows her only when it is possessive."""

_STEMS = """
    allow answer appoint ask assign assure award banish bet bid bring brought build built
    buy bought call catch caught cause charge choose chose consider convince cook cost count
    crown cut deal dealt declare deem deny denied do did does done drag draw drew drive drove
    driven dub earn elect envy fancy fear feed fed feel felt fetch fill find found fix forbid
    force forgive forgave gave get got gotten give given gives giving grant guarantee guess hand
    have had has having hear heard help hold held imagine inform judge keep kept know knew known
    kick knit knock knocked label lead led leave left lend lent let lets letting like make made
    makes making mark mean meant name need notice observe offer order overhear overheard owe
    paint pass pay paid persuade picture play please pour prepare presume prefer proclaim promise
    pronounce prove proved proven reach read refuse remember remind render report rush save saw
    say see seen seeing seem sell sold send sent serve set sew shoot shot show showed shown sing
    sang spare spot strike struck strip suppose suspect swear swore taught teach tell told telling
    tells think thought throw threw thrown took take taken taking taught toss touch treat turn
    vote want warn watch win won wish work write wrote written win won wipe whip lock tie tied
    leaving scare scared tear tore torn bore bear born beat beaten pull push squeeze suit
    esteem desire join ordain promote designate christen nickname style entitle profit avail
    become became befit befall cross accompany escort follow hurry invite walk ride rode drove
    meet met love loved hate hated visit shew shewed shewn bade bidden wed saddle swing roll
    sweep swept forgo fling flung bar overtake overtook guide fancy fancied marry married
    trust trusted pronounce accuse cure sentence condemn afford lay laid bequeath supply refuse
    hasten quote stand stood welcome welcomed bind bound carry carried rock slap kiss kissed
    want wanting wanted need needed
"""


def _forms(stems: str) -> frozenset[str]:
    """Each verb with its regular endings; impossible forms do no harm."""
    found = set()
    for stem in stems.split():
        short = stem[:-1] if stem.endswith("e") else stem
        double = stem + stem[-1]
        found |= {stem, f"{stem}s", f"{stem}es", f"{short}ed", f"{short}ing"}
        found |= {f"{double}ed", f"{double}ing"}
        if stem.endswith("y"):
            found |= {f"{stem[:-1]}ies", f"{stem[:-1]}ied"}
    return frozenset(found)


TWO_OBJECTS = _forms(_STEMS)
"""Verbs after which her may be an object although a noun, adjective or verb follows it."""

GIVING = _forms("""
    bring brought buy bought deny denied feed fed fetch gave get got give given grant hand lend
    lent offer owe pay paid promise read sell sold send sent serve show showed shown spare taught
    teach tell told throw threw write wrote written wish save do did call name
""")
"""Verbs whose second object may be almost any noun."""

CAUSING = _forms("help let made make")
"""Verbs that are mostly followed by an object and a verb, as in "let her go"."""

WITH_BACK = _set("has have had having turn turns turned turning")

ADVERBS = _set("""
    almost already always even ever far just least less more much never nearly not now often once
    rather so still such then twice very well yet all better
""")

NAMING = _forms("call name style dub consider make made declare proclaim")

SEEMING = _forms("appear became become come came know known look seem sound prove")

NEAR = _set("""
    about above after against around at before behind below beneath beside between beyond for
    from in near of over round through to toward towards under upon with within
""")
"""Prepositions whose phrase may be followed by the verb of the sentence: "behind her stood …"."""

BESIDE = _set("above after around before behind below beneath beside beyond near under")

PAST_FORMS = _set("""
    became began blew broke brought built came caught chose crept drew drove fell felt flew
    found gave got grew had heard held hung kept knew laid lay led left lost made met ran rang
    rose said sang sat saw seemed sent set shone shook shot showed sits stands sprang spoke
    spread stood struck swam swung talks taught threw told took turned watch went were woke wore
    would wrote plays gets jumps
""")

SIGNS_AFTER_OBJECT = frozenset('.,;:!?)]}”’…"\'') | {"--", "—", "–", "..", "..."}
