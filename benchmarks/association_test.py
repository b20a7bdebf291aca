"""A 25-against-25 association test with its p-value, against WEFE."""

import warnings
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness import Contender, measure, say, times_of
from benchmarks.results import Result, faster

ROWS = 10_000
TIMES_FASTER = 5_000.0
_SAMPLED = 100


def run(scratch: Path, rows: int = ROWS) -> list[Result]:
    """Ours counts all 1.26·10¹⁴ splits; WEFE draws ``rows``, of which a part is timed."""
    say(f"association_test: WEFE draws {_SAMPLED} of {rows:,} permutations, scaled up")
    ours, peer = measure(Contender(unslant_weat), Contender(wefe_weat, _SAMPLED, peer=True), runs=3)
    scaled = [seconds * rows / _SAMPLED for seconds in peer.answer["seconds"]]
    against = f"WEFE, {rows:,} permutations ({_SAMPLED} timed and scaled)"
    name = "WEAT 25 against 25 words with p-value"
    return [faster(name, ours.answer["seconds"], against, scaled, TIMES_FASTER)]


def unslant_weat() -> Callable[[], dict[str, list[float]]]:
    """Effect size, exact p-value and interval of insects and flowers on the built-in vectors."""
    import unslant as us

    vectors, test = us.load(), us.concept("caliskan").test("instruments-weapons")
    us.measure("weat(random_lists=0)", vectors, test)  # imports and hashes are paid once

    def action() -> dict[str, list[float]]:
        return {"seconds": times_of(lambda: us.measure("weat(random_lists=0)", vectors, test))}

    return action


def wefe_weat(iterations: int) -> Callable[[], dict[str, list[float]]]:
    """The same test by WEFE, with ``iterations`` sampled permutations."""
    import numpy as np

    warnings.simplefilter("ignore")
    # The newest release of WEFE that installs beside numpy 2 asks for a type that it dropped.
    vars(np)["float_"] = np.float64
    from gensim.models import KeyedVectors
    from wefe.metrics import WEAT
    from wefe.query import Query
    from wefe.word_embedding_model import WordEmbeddingModel

    import unslant as us

    vectors, test = us.load(), us.concept("caliskan").test("instruments-weapons")
    keyed = KeyedVectors(vectors.dim)
    keyed.add_vectors(list(vectors.words), vectors.matrix)
    model = WordEmbeddingModel(keyed, "glove")
    query = Query(
        [list(item.words) for item in test.targets.values()],
        [list(item.words) for item in test.attributes.values()],
        list(test.targets),
        list(test.attributes),
    )

    def action() -> dict[str, list[float]]:
        return {
            "seconds": times_of(
                lambda: WEAT().run_query(
                    query,
                    model,
                    return_effect_size=True,
                    calculate_p_value=True,
                    p_value_iterations=iterations,
                    preprocessors=[{"lowercase": True}],
                ),
                times=1,
            )
        }

    return action
