"""The role of her, his, him and hers in a sentence, from the neighbouring words.

Whether her is possessive (his) or an object (him), and whether his goes with a noun (her) or is
alone (hers), is decided by hand-written rules about two neighbours on either side. If the rules
are not sure, the answer is their best guess.
"""

from dataclasses import dataclass

from unslant.concepts.swap.table import SwapEntry
from unslant.concepts.swap.tokens import TokenPlace

# Words that reveal the role of her and his next to them.
#
# The lists were written by hand and checked on him and his in novels: put her in their place, and
# the rules must find out which it was.


def word_set(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


PREPOSITIONS = word_set("""
    aboard about above across after against along alongside amid amidst among amongst around as
    at before behind below beneath beside besides between beyond by concerning despite down
    during except for from in into like near of off on onto out over past per since than through
    throughout till to toward towards under underneath until unto up upon via with within
    without
""")

CONJUNCTIONS = word_set("""
    although and because but if lest nor or that though unless when whenever where whereas
    whereby whereof whereupon wherever whether while whilst
""")

DETERMINERS = word_set("""
    a an another any both each either enough her his its my neither no none our some something
    somewhat that the their these this those various what whatever which whichever your
""")

PRONOUNS = word_set("""
    anybody anyone anything everybody everyone everything he hers herself him himself how i it
    itself me mine myself nobody nothing ourselves she somebody someone thee them themselves
    they thou thy us we who whom whose why ye you yours yourself yourselves
""")

AUXILIARIES = word_set("""
    ain't am are aren't be been can't cannot could couldn't did didn't do does doesn't don't had
    hadn't has hasn't have haven't is isn't may must mustn't shall should shouldn't was wasn't
    were weren't won't would wouldn't
""")

PLACES_AND_TIMES = word_set("""
    abashed abroad accordingly affrighted afresh afterward afterwards again aghast ago ahead
    alike aloft alone along aloud already also altogether anew anon anyhow anymore anyway
    anywhere apart ashore aside askance asleep astray awake away backward backwards beforehand
    by-and-by directly doubtless downstairs downward elsewhere ere everywhere forever forth
    forthwith forward forwards further hence henceforth here hereafter hither hitherto however
    immediately indeed indoors instantly instead lately later longer maybe meanwhile merely
    moreover nay nevertheless nonetheless nowhere otherwise outdoors perhaps please presently
    quite save sideways simply simultaneously somehow sometimes somewhere soon sooner
    straightway suddenly thence there thereafter therefor therefore thereupon thither thus
    to-day to-morrow to-night today together tomorrow tonight too upstairs upward upwards whence
    yesterday
""")

BARE_VERBS = word_set("""
    admit appear arrive ascend ask await become befall beg begin behave behold belong bring came
    carry choose cling come confess consider continue deal decide descend die discover eat enter
    exclaim explain feel follow forget forgive get give go grow happen hear imagine know leap
    learn lend lose made marry meet obey perceive possess proceed pursue realise realize receive
    recognise recognize remain remember repeat say seek seem send sit speak spend stagger stood
    suffer suppose take teach tell think told tremble undergo understand vanish weep went
""")
"""Verbs that are hardly ever nouns or adjectives."""

AFTER_OBJECT = PREPOSITIONS | CONJUNCTIONS | DETERMINERS | PRONOUNS | AUXILIARIES | PLACES_AND_TIMES
AFTER_OBJECT |= BARE_VERBS
"""What follows her when it is an object, as him would be."""

SOFT = word_set("""
    advice afraid alive all almost always angry anxious aware back beautiful being better bread
    breathless can capable captive clean close coffee cold comfortable company crazy credit dead
    dearer deep definite directions double early eight even ever every extremely fair false far
    farewell fast fifty first five flat flowers food forty four free friendly full furious good
    good-bye goodbye guilty half happy hard high home honor honour hundred ill incapable inside
    jealous just justice kindly king last late least leave left less lessons little long loose
    loud love low mad many master might miserable mistress money more most much naked near
    nearly nervous never next nine noble not notice now often once one only open outside
    over-much pain pale papa permission pleasure plenty pretty previous prisoner queen questions
    quiet rather ready responsible right round sad safe senseless seven several short sick
    silent since single six so sound speechless still stories straight such tall tea ten thanks
    then things thirty three thrice time trouble twenty twice two uncomfortable unconscious
    uneasy unhappy unworthy very warm warning water welcome well wide wild will word words worse
    worst worthy years yet
""")
"""What may follow both: an adverb, a predicate, or a noun that is a second object."""

BEFORE_NOUN = word_set("""
    beautiful best cold dead deep double early fair first four full good happy high last late
    left little long low most naked old only open own pale quiet right short silent single six
    three two warm wide wild young
""")
"""Those of them that are an adjective of hers if a noun comes next."""

NOUNS = word_set("""
    back coffee company directions flowers food home honor honour lessons love money pain
    pleasure questions stories tea things time trouble water word words
""")
"""Those of them that are hers after a preposition such as of or on."""

ALWAYS_BEFORE_NOUN = word_set("and at in into of on upon")

TIMES = word_set("""
    afternoon autumn day days evening friday hour hours minute minutes monday month months
    morning night nights saturday second seconds spring summer sunday thursday time times
    tuesday wednesday week weeks winter year years
""")

KIN = word_set("""
    aunt babies baby boss boyfriend brother brother-in-law brothers buddy child children
    co-worker colleague companion companions cousin cousins coworker dad daddy daughter
    daughters dog ex father father-in-law fiance fiancee fiancé fiancée friend friends
    girlfriend grandchildren granddaughter grandfather grandma grandmother grandpa grandson
    guest guests husband kid kids mama mamma mom mommy mother mother-in-law neighbor neighbour
    nephew niece papa parent parents roommate sibling siblings sister sister-in-law sisters son
    sons spouse student students teacher teammate teammates uncle wife
""")

BODY = word_set("""
    arm arms body breath cheek cheeks chest chin ear ears elbow eye eyes face feet finger
    fingers fist foot forehead gaze hair hand hands head heart heels hip hips knee knees lap leg
    legs lip lips mouth neck nose palm shoulder shoulders skin stomach teeth throat thumb toe
    toes tongue voice waist wrist
""")

BELONGINGS = word_set("""
    apartment backpack bag bed bedroom belongings bicycle bike birthday boat book books business
    camera car career cell chair cheeks class clothes coat computer costume desk door dress
    eyebrows family fate glasses guitar hat helmet horse house instrument jacket job journey
    keys kitchen laptop life living luggage lunch mind name nerves opinion phone pocket pockets
    purse reflection room scarf self shirt shoes skateboard skirt soul spirits stuff sunglasses
    surfboard team temper thoughts umbrella utmost wallet way wedding weight whereabouts wits
    workout
""")

HONOURS = word_set("""
    eminence excellency highness holiness ladyship lordship majesty own
""")
"""What follows her only when it is possessive."""

_STEMS = """
    accompany accuse afford allow answer appoint ask assign assure avail award bade banish bar
    bear beat beaten became become befall befit bequeath bet bid bidden bind bore born bought
    bound bring brought build built buy call carried carry catch caught cause charge choose
    chose christen condemn consider convince cook cost count cross crown cure cut deal dealt
    declare deem denied deny designate desire did do does done drag draw drew drive driven drove
    dub earn elect entitle envy escort esteem fancied fancy fear fed feed feel felt fetch fill
    find fix fling flung follow forbid force forgave forgive forgo found gave get give given
    gives giving got gotten grant guarantee guess guide had hand has hasten hate hated have
    having hear heard held help hold hurry imagine inform invite join judge keep kept kick kiss
    kissed knew knit knock knocked know known label laid lay lead leave leaving led left lend
    lent let lets letting like lock love loved made make makes making mark married marry mean
    meant meet met name need needed nickname notice observe offer ordain order overhear
    overheard overtake overtook owe paid paint pass pay persuade picture play please pour prefer
    prepare presume proclaim profit promise promote pronounce prove proved proven pull push
    quote reach read refuse remember remind render report ride rock rode roll rush saddle sang
    save saw say scare scared see seeing seem seen sell send sent sentence serve set sew shew
    shewed shewn shoot shot show showed shown sing slap sold spare spot squeeze stand stood
    strike strip struck style suit supply suppose suspect swear sweep swept swing swore take
    taken taking taught teach tear tell telling tells think thought threw throw thrown tie tied
    told took tore torn toss touch treat trust trusted turn visit vote walk want wanted wanting
    warn watch wed welcome welcomed whip win wipe wish won work write written wrote
"""


def _forms(stems: str) -> frozenset[str]:
    """Each verb with its regular endings; impossible forms do no harm."""
    forms = set()
    for stem in stems.split():
        short = stem[:-1] if stem.endswith("e") else stem
        double = stem + stem[-1]
        forms |= {stem, f"{stem}s", f"{stem}es", f"{short}ed", f"{short}ing"}
        forms |= {f"{double}ed", f"{double}ing"}
        if stem.endswith("y"):
            forms |= {f"{stem[:-1]}ies", f"{stem[:-1]}ied"}
    return frozenset(forms)


TWO_OBJECTS = _forms(_STEMS)
"""Verbs after which her may be an object although a noun, adjective or verb follows it."""

GIVING = _forms("""
    bought bring brought buy call denied deny did do fed feed fetch gave get give given got
    grant hand lend lent name offer owe paid pay promise read save sell send sent serve show
    showed shown sold spare taught teach tell threw throw told wish write written wrote
""")
"""Verbs whose second object may be almost any noun."""

CAUSING = _forms("help let made make")
"""Verbs that are mostly followed by an object and a verb, as in "let her go"."""

WITH_BACK = word_set("has have had having turn turns turned turning")

ADVERBS = word_set("""
    all almost already always better even ever far just least less more much nearly never not
    now often once rather so still such then twice very well yet
""")

NAMING = _forms("call name style dub consider make made declare proclaim")

SEEMING = _forms("appear became become come came know known look seem sound prove")

BESIDE = word_set("above after around before behind below beneath beside beyond near under")

PAST_FORMS = word_set("""
    became began blew broke brought built came caught chose crept drew drove fell felt flew
    found gave gets got grew had heard held hung jumps kept knew laid lay led left lost made met
    plays ran rang rose said sang sat saw seemed sent set shone shook shot showed sits spoke
    sprang spread stands stood struck swam swung talks taught threw told took turned watch went
    were woke wore would wrote
""")

SIGNS_AFTER_OBJECT = frozenset(".,;:!?)]}”’…\"'") | {"--", "—", "–", "..", "..."}


SWAPPED_PRONOUNS = frozenset({"her", "his", "him", "hers"})
ROLE = "its role in the sentence is not clear"


@dataclass(frozen=True)
class Role:
    """Whether a noun follows that belongs to the pronoun, and how sure that is."""

    has_noun: bool
    is_sure: bool = True


def swapped_pronoun(word: str, place: TokenPlace) -> SwapEntry:
    """The replacement of her, his, him or hers at a position."""
    if word in ("him", "hers"):
        return SwapEntry("her" if word == "him" else "his")
    role = role_of_her(place) if word == "her" else role_of_his(place)
    forms = ("his", "him") if word == "her" else ("her", "hers")
    new = forms[0] if role.has_noun else forms[1]
    return SwapEntry(new) if role.is_sure else SwapEntry(new, "ambiguous", ROLE)


def role_of_her(place: TokenPlace) -> Role:
    """Possessive in "lost her keys", an object in "saw her there"."""
    before, after = place.lower(-1), place.lower(1)
    follower = place.at(1)
    if follower is None:
        return Role(False)
    if not follower.is_word:
        return _before_sign(place)
    if after in HONOURS:
        return Role(True)
    if after in AFTER_OBJECT:
        return Role(False, after not in _ALSO_NOUNS)
    ends = _ends_phrase(place, 2)
    if after.endswith("ly") and after not in _ADJECTIVES_IN_LY:
        return Role(not ends, ends and not place.is_capitalised(1))
    if after in SOFT:
        return _before_soft(place, ends)
    if after.endswith("ing") and after not in _NOUNS_IN_ING:
        return Role(before not in CAUSING and before not in BESIDE, False)
    is_sure = _is_surely_noun(place, ends)
    return Role(is_sure or before not in CAUSING, is_sure)


def _is_surely_noun(place: TokenPlace, ends: bool) -> bool:
    """Whether the word after her is a noun of hers, or an adjective before one."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    is_common = after in KIN or after in BODY
    if before in NAMING and after in KIN:
        return False
    if place.is_capitalised(1) and not place.tokens[place.index].text.isupper():
        return False
    if before in TWO_OBJECTS:
        is_common |= after in BELONGINGS and before not in GIVING
        return is_common and then not in AUXILIARIES
    if is_common or after in BELONGINGS or place.begins_sentence:
        return True
    if before in BESIDE or (before == "to" and place.lower(-2) in SEEMING):
        return False
    if after.endswith("ed") or after in PAST_FORMS:
        return False
    return not (ends and after.endswith(_ADJECTIVE_ENDINGS))


def role_of_his(place: TokenPlace) -> Role:
    """With a noun in "his keys", alone in "a friend of his"."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    follower = place.at(1)
    if follower is None:
        return Role(False)
    if not follower.is_word:
        if follower.text.isdigit():
            return Role(True)
        is_closing = follower.text in SIGNS_AFTER_OBJECT
        is_plain = follower.text in ".,;:!?)" or (place.touches(1) and is_closing)
        return Role(not is_closing, is_plain)
    if after in ("and", "or"):
        return Role(then in ("her", "their", "my", "your", "our"), False)
    if after in BARE_VERBS or after in ("every", "all", "both", "one"):
        return Role(True, after in ("every", "one"))
    if after in AFTER_OBJECT:
        return Role(False, after not in _ALSO_NOUNS)
    if after in ("not", "now", "then", "still", "once", "too", "will", "can", "might", "so"):
        return Role(after not in ("too", "so"), False)
    if after in ADVERBS or (after.endswith("ly") and after not in _ADJECTIVES_IN_LY):
        return Role(not _ends_phrase(place, 2), False)
    is_verb = after.endswith("ed") or after in PAST_FORMS
    return Role(True, not (is_verb and before in ("of", ",", "", "and")))


def _before_sign(place: TokenPlace) -> Role:
    """A sign ends the phrase, unless it opens a quotation or a parenthesis."""
    sign = place.tokens[place.index + 1].text
    if sign.isdigit():
        return Role(True, False)
    if sign in "\"'" and not place.touches(1):
        return Role(True, False)
    return Role(sign in "“‘`", sign in SIGNS_AFTER_OBJECT)


def _ends_phrase(place: TokenPlace, distance: int) -> bool:
    """Whether the word at this offset cannot belong to the words before."""
    token = place.at(distance)
    if token is None or token.text in SIGNS_AFTER_OBJECT:
        return True
    return place.lower(distance) in AFTER_OBJECT


def _before_soft(place: TokenPlace, ends: bool) -> Role:
    """Before a word that may follow both: sure only where a noun must come."""
    before, after, then = place.lower(-1), place.lower(1), place.lower(2)
    if before in ALWAYS_BEFORE_NOUN or place.begins_sentence:
        is_noun = after in NOUNS and before != "and"
        is_adjective = after in BEFORE_NOUN and not ends and then not in TIMES
        return Role(True, is_noun or is_adjective)
    if after in ADVERBS:
        return Role(False, False)
    has_noun = not (ends and before in TWO_OBJECTS)
    return Role(has_noun or (after == "back" and before in WITH_BACK), False)


_ADJECTIVE_ENDINGS = ("ible", "able", "ous", "ful", "less", "ic", "ive", "ant", "ent", "est", "ier")
# As in "her like", "her past" or "her near escape".
_ALSO_NOUNS = frozenset({"like", "past", "near", "say", "over", "down", "inside", "may"})
_ADJECTIVES_IN_LY = word_set("""
    ally anomaly assembly belly bubbly bully comely costly cowardly cuddly curly daily deadly
    early earthly elderly family fatherly fly folly friendly ghostly heavenly holy homely homily
    jelly jolly kindly lily lively lonely lovely manly melancholy monthly motherly only panoply
    reply scholarly sickly silly stately ugly unruly weekly womanly woolly wooly worldly wrinkly
    yearly
""")
_NOUNS_IN_ING = word_set("""
    bedding beginning building calling ceiling clothing darling dwelling earring evening feeling
    king living lodging meaning morning offspring ring sibling sling spring stocking string
    thing upbringing wedding wing
""")
