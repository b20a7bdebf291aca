"""CrowS-Pairs' table: read whole, and every malformed row named."""

from collections import Counter
from pathlib import Path

import pytest

from tests.language_models import data_folder
from unslant.core.errors import FileFormatError
from unslant.probes.likelihood.pair_sets import CrowsPair, read_crows_pairs

HEADER = ",sent_more,sent_less,stereo_antistereo,bias_type\n"


def written(folder: Path, *rows: str, header: str = HEADER) -> Path:
    path = folder / "pairs.csv"
    path.write_text(header + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_pairs_are_read_with_commas_and_quotes(tmp_path: Path) -> None:
    path = written(tmp_path, '0,"The poor, they say",The rich  they say,antistereo,socioeconomic')
    assert read_crows_pairs(path) == [
        CrowsPair("The poor, they say", "The rich they say", "antistereo", "socioeconomic")
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("0,,,stereo,age", "line 3: expected two sentences and a kind of bias"),
        ("0,One.,Two.,both,age", 'line 3: "stereo_antistereo" is .both.; expected stereo or anti'),
        ("0,One.,Two.,stereo", "line 3: expected two sentences and a kind of bias"),
    ],
)
def test_a_malformed_row_is_named_with_its_line(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        read_crows_pairs(written(tmp_path, "0,A.,B.,stereo,age", row))


def test_another_encoding_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = written(tmp_path, "0,A.,B.,stereo,age")
    path.write_bytes(path.read_bytes() + "1,Één.,B.,stereo,age\n".encode("mac-roman"))
    with pytest.raises(FileFormatError, match=r"not UTF-8 text .* iconv -f macintosh -t utf-8"):
        read_crows_pairs(path)


def test_another_table_an_empty_one_and_no_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="Expected comma-separated columns with the names"):
        read_crows_pairs(written(tmp_path, "1,2", header="a,b\n"))
    with pytest.raises(FileFormatError, match="contains no pairs"):
        read_crows_pairs(written(tmp_path))
    with pytest.raises(FileFormatError, match="cannot be read"):
        read_crows_pairs(tmp_path / "absent.csv")


def test_the_released_table_has_1508_pairs_of_nine_kinds() -> None:
    pairs = read_crows_pairs(data_folder("crows_pairs") / "crows_pairs_anonymized.csv")
    assert len(pairs) == 1508
    assert Counter(pair.direction for pair in pairs) == {"stereo": 1290, "antistereo": 218}
    assert Counter(pair.kind for pair in pairs)["gender"] == 262
    assert len({pair.kind for pair in pairs}) == 9
