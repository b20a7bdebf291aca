"""Training GloVe on made text against Stanford's program, or against gensim's Word2Vec.

Set UNSLANT_GLOVE_PROGRAMS to the ``build`` folder of github.com/stanfordnlp/GloVe for the first:
both then count and train on the same tokens, threads, window, dimensions and iterations, and their
last losses must agree. Otherwise Word2Vec (skip-gram, 5 negative samples) gets the same text and
as many epochs. Text to vectors, counting included.
"""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.harness import Contender, measure, say
from benchmarks.results import Result, faster

ROWS = 2_000_000
THREADS = 2
DIMENSIONS, WINDOW, MINIMUM, ITERATIONS = 100, 10, 5, 5
AT_LEAST = 0.5


def run(scratch: Path, tokens: int = ROWS) -> list[Result]:
    """All of it, from text to vectors."""
    text = scratch / "text.txt"
    text.write_text(made_text(tokens))
    programs = os.environ.get("UNSLANT_GLOVE_PROGRAMS", "")
    if programs:
        peer, name = Contender(stanford_glove, text, scratch, programs), "Stanford's GloVe"
    else:
        say("glove: against Word2Vec, because UNSLANT_GLOVE_PROGRAMS is not set")
        peer, name = Contender(gensim_word2vec, text), "gensim's Word2Vec"
    ours, theirs = measure(Contender(unslant_glove, text, scratch), peer, runs=2)
    if programs and abs(ours.answer - theirs.answer) > 0.05 * theirs.answer:
        raise SystemExit(f"glove: our last loss is {ours.answer}, theirs {theirs.answer}")
    what = f"GloVe on {tokens / 1e6:g} M tokens, {THREADS} threads"
    return [faster(what, ours.seconds, name, theirs.seconds, AT_LEAST)]


def made_text(tokens: int) -> str:
    """Words with frequencies as in language, of 20 topics, in lines of 40."""
    rng = np.random.default_rng(0)
    words = np.array(
        [f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(9_000)]
    )
    lines = tokens // 40
    ranks = (rng.pareto(0.9, size=(lines, 40)) * 3).astype(np.int64)
    topics = rng.integers(20, size=(lines, 1))
    rows = np.where(ranks < 200, ranks, ranks // 20 * 20 + topics) % len(words)
    return "\n".join(" ".join(row) for row in words[rows])


def unslant_glove(text: str, scratch: str) -> Callable[[], float]:
    """The last loss of a training; compiling is not timed."""
    from unslant.models.glove.output import train_to
    from unslant.models.glove.settings import CountSettings, GloveSettings

    counting = CountSettings(window=WINDOW, minimum=MINIMUM)
    how = GloveSettings(dimensions=DIMENSIONS, iterations=ITERATIONS, threads=THREADS)
    small, output = Path(scratch) / "small.txt", Path(scratch) / "ours.bin"
    small.write_text("one two three\n" * 10)
    train_to(Path(scratch) / "small.bin", small, counting, how)

    def action() -> float:
        made = train_to(output, Path(text), counting, how)
        return float(made.record["iterations"][-1]["loss"])

    return action


def stanford_glove(text: str, scratch: str, programs: str) -> Callable[[], float]:
    """The last loss of Stanford's four programs in a row."""
    vocabulary, counts, order = (Path(scratch) / name for name in ("vocab", "counts", "order"))

    def called(
        program: str, *options: object, out: Path | None = None, into: Path | None = None
    ) -> str:
        with (
            (into or Path(os.devnull)).open("rb") as given,
            (out or Path(os.devnull)).open("wb") as to,
        ):
            done = subprocess.run(
                [Path(programs) / program, *map(str, options)],
                stdin=given,
                stdout=to,
                stderr=subprocess.PIPE,
                check=True,
                cwd=scratch,
            )
        return done.stderr.decode()

    def action() -> float:
        called("vocab_count", "-min-count", MINIMUM, out=vocabulary, into=Path(text))
        near = ("-vocab-file", vocabulary, "-window-size", WINDOW, "-memory", 1)
        called("cooccur", *near, out=counts, into=Path(text))
        called("shuffle", "-memory", 1, out=order, into=counts)
        how = ("-vector-size", DIMENSIONS, "-iter", ITERATIONS, "-threads", THREADS)
        files = ("-input-file", order, "-vocab-file", vocabulary, "-save-file", "theirs")
        said = called("glove", *how, *files, "-x-max", 100, "-binary", 1)
        return float(said.rsplit("cost: ", 1)[1].split()[0])

    return action


def gensim_word2vec(text: str) -> Callable[[], float]:
    """Vectors of gensim, for the time; it has another loss."""
    from gensim.models import Word2Vec

    def action() -> float:
        model = Word2Vec(
            corpus_file=text,
            vector_size=DIMENSIONS,
            window=WINDOW,
            min_count=MINIMUM,
            sg=1,
            workers=THREADS,
            epochs=ITERATIONS,
        )
        return float(len(model.wv))

    return action
