"""Kinds of file that are recognised in order to be refused, each with what to do instead.

A pickle runs code when it is opened, and so do the files of several libraries that are pickles
inside. None of them is ever opened here: they are recognised by their first bytes.
"""

import re

from unslant.core.errors import FileFormatError, UnsafeFileError

# Protocols 0 and 1 are text: a mark or an import, then memo or build instructions.
_OLD_PICKLE = re.compile(
    rb"\A(?:[(\]}][lditp.0-9]?[\s\S]{0,64}?(?:p\d+\n|q[\x00-\xff])|c[A-Za-z_][\w.]*\n[\w.]+\n"
    rb"|\(?i[A-Za-z_][\w.]*\n[\w.]+\n|\(c[A-Za-z_][\w.]*\n[\w.]+\n)"
)
_CONVERT = (
    "Open it where you trust it and save the words and vectors as text, for example with "
    'KeyedVectors.save_word2vec_format("vectors.txt") in gensim.'
)


def is_pickle(head: bytes) -> bool:
    """Whether the bytes begin like a pickle of any protocol."""
    return bool(re.match(rb"\x80[\x01-\x05]", head) or _OLD_PICKLE.match(head))


def refuse_known(head: bytes, path: str) -> None:
    """Raise the error that fits a file which must not or cannot be read."""
    if is_pickle(head):
        raise UnsafeFileError(
            f"{path} is a pickle, which runs code when it is opened, so it was not. {_CONVERT}"
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
    if head[257:262] == b"ustar":
        raise FileFormatError(
            f"{path} is a tar archive. Unpack it and name the file of vectors inside."
        )
