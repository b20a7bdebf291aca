"""File formats that are recognised only to refuse them, each with advice.

Opening a pickle can run code, and several libraries write files that contain pickles. None of
them is ever opened here: they are recognised by their first bytes.
"""

import re

from unslant.core.errors import FileFormatError, UnsafeFileError

# Protocols 0 and 1 are text: an import, or a mark and soon the first memo. Neither can
# occur in a line of vectors, whatever its word: "(quote 0.1" is not a pickle.
_OLD_PICKLE = re.compile(
    rb"\A(?:[(\]}][\s\S]{0,64}?(?:p0\n|q\x00)|\(?[ci][A-Za-z_][\w.]*\n[\w.]+\n)"
)
_CONVERT = (
    "If you trust it, open it yourself and save the words and vectors as text, for example with "
    'KeyedVectors.save_word2vec_format("vectors.txt") in gensim.'
)


def is_pickle(head: bytes) -> bool:
    """Whether the bytes begin like a pickle of any protocol."""
    return bool(re.match(rb"\x80[\x01-\x05]", head) or _OLD_PICKLE.match(head))


def refuse_known(head: bytes, path: str) -> None:
    """Raise an error for a file that must not or cannot be read."""
    if is_pickle(head):
        raise UnsafeFileError(
            f"{path} is a pickle file. Opening it could run code, so Unslant did not open it. "
            f"{_CONVERT}"
        )
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileFormatError(
            f"{path} is UTF-16 text. Convert it to UTF-8, for example with "
            f"iconv -f UTF-16 -t UTF-8."
        )
    if head.startswith(b"\x89HDF\r\n\x1a\n"):
        raise FileFormatError(
            f"{path} is an HDF5 file, which does not say where its words are. Save the words and "
            f"vectors as text or npz."
        )
    if head.startswith(b"\x93NUMPY"):
        raise FileFormatError(
            f"{path} is a bare numpy array, without words. Save both with "
            f'numpy.savez("vectors.npz", words=words, vectors=matrix).'
        )
    if head.startswith(b"\xba\x16\x4f\x2f"):
        raise FileFormatError(
            f"{path} is a fastText model (.bin). Use the .vec file that comes with it, or print "
            f"the vectors with fastText's print-word-vectors."
        )
    if head[257:265] in (b"ustar\x0000", b"ustar  \x00"):
        raise FileFormatError(
            f"{path} is a tar archive. Extract it and name the vectors file inside."
        )
