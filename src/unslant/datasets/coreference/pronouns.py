"""Sentences with an occupation, another person and a pronoun, by the pronoun's gender.

Winogender (Rudinger et al. 2018) is a table of sentences whose ids name the occupation, the other
person, the right one (0 or 1) and the gender. WinoPron (Gautam et al. 2024) is a table of templates
for each grammatical case, in a zip file with a password that its authors publish; it is read from
inside the file.
"""

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from unslant.core.errors import FileFormatError
from unslant.core.text_files import small_text
from unslant.datasets.coreference.document import Span, TextWords, cut

_LARGEST_FILE = 16 << 20
_PUBLISHED_PASSWORD = b"vogelbeobachtung131719"
"""Its authors print it so that people can open the file and crawlers do not."""
_TEMPLATES = "new_templates.tsv"

PRONOUNS: Mapping[str, tuple[str, str, str]] = {
    "male": ("he", "him", "his"),
    "female": ("she", "her", "her"),
    "neutral": ("they", "them", "their"),
    "neo": ("xe", "xem", "xyr"),
}
"""Nominative, accusative and possessive."""
CASES = {"NOM": "nominative", "ACC": "accusative", "POSS": "possessive"}


@dataclass(frozen=True)
class PronounSentence:
    """A sentence in all its versions; ``versions`` has words and the pronoun for each gender.

    ``people`` are the occupation and the other person; ``right`` is the number of the one that the
    pronoun refers to.
    """

    occupation: str
    other: str
    right: int
    case: str
    versions: Mapping[str, tuple[tuple[str, ...], Span]]
    people: tuple[Span, Span]


def read_winogender(path: Path) -> list[PronounSentence]:
    """The sentences of Winogender, three versions each."""
    found: dict[tuple[str, str, str], dict[str, tuple[int, TextWords]]] = {}
    for number, row in _rows(_text(path), path, ("sentid", "sentence")):
        parts = row[0].removesuffix(".txt").split(".")
        if len(parts) != 4 or parts[2] not in ("0", "1") or parts[3] not in PRONOUNS:
            raise FileFormatError(
                f"{path} line {number:,}: the id is {row[0]!r:.60}, expected one such as "
                f"technician.customer.1.male.txt."
            )
        occupation, other, right, gender = parts
        found.setdefault((occupation, other, right), {})[gender] = (number, cut(row[1]))
    return [_sentence(*key, versions, path) for key, versions in found.items()]


def read_winopron(path: Path) -> list[PronounSentence]:
    """The templates of WinoPron, filled with each set of pronouns."""
    sentences = []
    names = ("occupation(0)", "other-participant(1)", "answer", "pronoun_type", "template")
    for number, row in _rows(_zipped(path), path, names):
        occupation, other, right, slot, template = row[:5]
        case = slot.removeprefix("$").removesuffix("_PRONOUN")
        people = {"$OCCUPATION": occupation, "$PARTICIPANT": other}
        if case not in CASES or any(template.count(one) != 1 for one in (slot, *people)):
            raise FileFormatError(
                f"{path} line {number:,}: expected a template with $OCCUPATION, $PARTICIPANT and "
                f"one pronoun, such as $NOM_PRONOUN."
            )
        for name, word in people.items():
            template = template.replace(name, word)
        versions = {
            gender: (number, cut(template.replace(slot, forms[list(CASES).index(case)])))
            for gender, forms in PRONOUNS.items()
        }
        sentences.append(_sentence(occupation, other, right, versions, path, CASES[case]))
    return sentences


def _sentence(
    occupation: str,
    other: str,
    right: str,
    versions: Mapping[str, tuple[int, TextWords]],
    path: Path,
    case: str = "",
) -> PronounSentence:
    made: dict[str, tuple[tuple[str, ...], Span]] = {}
    spans: set[tuple[Span, Span]] = set()
    for gender, (number, found) in versions.items():
        words = [word.lower() for word in found.words]
        places = [n for n, word in enumerate(words) if word in PRONOUNS[gender]]
        people = [[n for n, word in enumerate(words) if word == one] for one in (occupation, other)]
        if len(places) != 1 or any(len(one) != 1 for one in people):
            raise FileFormatError(
                f'{path} line {number:,}: "{" ".join(found.words)[:80]}" should have one '
                f"{occupation}, one {other} and one pronoun."
            )
        made[gender] = (found.words, (places[0], places[0] + 1))
        case = case or list(CASES.values())[PRONOUNS[gender].index(words[places[0]])]
        spans.add((_with_article(words, people[0][0]), _with_article(words, people[1][0])))
    if len(spans) != 1 or not {"male", "female"} <= set(made):
        raise FileFormatError(
            f"{path}: the versions of the sentence with {occupation} and {other} differ in more "
            f"than the pronoun, or one is missing."
        )
    return PronounSentence(occupation, other, int(right), case, made, spans.pop())


def _with_article(words: list[str], place: int) -> Span:
    has_article = place > 0 and words[place - 1] in ("the", "a", "an")
    return (place - 1 if has_article else place), place + 1


def _rows(text: str, path: Path, names: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    lines = text.replace("\r\n", "\n").split("\n")
    if tuple(lines[0].split("\t")[: len(names)]) != names:
        raise FileFormatError(
            f"{path} is not the expected table. Expected tab-separated columns with the names "
            f"{', '.join(names)} in the first line."
        )
    for number, line in enumerate(lines[1:], 2):
        if line.strip():
            cells = line.split("\t")
            if len(cells) < len(names):
                raise FileFormatError(
                    f"{path} line {number:,}: {len(cells)} columns, expected {len(names)}."
                )
            yield number, cells


def _text(path: Path) -> str:
    try:
        return small_text(path, _LARGEST_FILE)
    except ValueError as error:
        raise FileFormatError(f"{path} cannot be read: {error}.") from error


def _zipped(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(_TEMPLATES).file_size > _LARGEST_FILE:
                raise FileFormatError(f"{path} is larger than WinoPron. Expected its data.zip.")
            return archive.read(_TEMPLATES, pwd=_PUBLISHED_PASSWORD).decode("utf-8")
    except FileNotFoundError as error:
        raise FileFormatError(f"There is no file {path}. Expected WinoPron's data.zip.") from error
    except (KeyError, OSError, RuntimeError, ValueError, zipfile.BadZipFile) as error:
        raise FileFormatError(
            f"{path} cannot be read: {error}. Expected WinoPron's data.zip as it is released."
        ) from error
