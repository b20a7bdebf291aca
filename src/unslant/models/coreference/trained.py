"""A trained coreference model: its shape, its weights and the record of how it came about."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import OutputError, UnslantError
from unslant.core.extras import torch_for
from unslant.core.files import atomic_write, sha256_of_file, write_text
from unslant.core.places import parse_place
from unslant.core.record import Facts, flat
from unslant.core.sealed import Kind, sealed
from unslant.models.coreference.settings import CorefShape
from unslant.models.nli.trained import Tensors, check_tensors
from unslant.vectors import WordVectors

if TYPE_CHECKING:
    from unslant.models.coreference.context import WordsInSentences
    from unslant.models.coreference.resolver import CorefResolver
    from unslant.models.language.base import LanguageModel

KIND = "unslant coref model 1"
BUILTIN_MODEL = "litbank-glove-100d"
"""The model that comes with the package, for vectors made from GloVe 6B 100d."""

_FILE = Kind(
    mark=KIND,
    what="coreference model",
    foreign="is not a trained coreference model. Train one with: unslant train coref.",
    remedy="The file may be cut, damaged or from another version; train it again.",
)


@dataclass(frozen=True)
class TrainedCoref:
    """Weights without the vectors: they read any vectors of their dimension.

    ``singletons`` says whether the model answers mentions that nothing else refers to.
    """

    name: str
    shape: CorefShape
    tensors: Tensors
    record: Mapping[str, Any]
    singletons: bool
    sha256: str = ""

    @property
    def facts(self) -> Facts:
        """Its shape and how it was trained, all but the course of the rounds."""
        training = {
            key: value for key, value in self.record.items() if key not in ("rounds", "scores")
        }
        return {
            "held-out-conll-f1": self.record.get("held_out_conll_f1"),
            "trained-on": self.record.get("vectors", {}).get("name"),
            "singletons": self.singletons,
            "note": self.record.get("note", ""),
            **flat({"shape": self.shape.to_dict(), "training": training}),
        }

    def on(self, vectors: WordVectors, context: "LanguageModel | None" = None) -> "CorefResolver":
        """The model that reads documents through these vectors.

        ``context`` is the language model whose vectors it also reads, if it was trained with one;
        by default it is loaded from the folder it was in then.
        """
        if vectors.dim != self.shape.dim:
            raise UnslantError(
                f"The model {self.name} reads vectors of {self.shape.dim} dimensions and "
                f"{vectors.name} has {vectors.dim}; train one for it with: unslant train coref "
                f"FILE --data FOLDER."
            )
        torch_for("A coreference model")
        from unslant.models.coreference.network import loaded_network
        from unslant.models.coreference.resolver import CorefResolver

        network = loaded_network(self.shape, self.tensors)
        return CorefResolver(network, vectors, self._context(context), singletons=self.singletons)

    def _context(self, given: "LanguageModel | None") -> "WordsInSentences | None":
        wanted: Any = self.record.get("context")
        if not self.shape.context:
            if given is not None:
                raise UnslantError(f"The model {self.name} was trained without a language model.")
            return None
        from unslant.models.coreference.context import WordsInSentences
        from unslant.models.language.model import load_model

        if given is None:
            if not Path(wanted["folder"]).is_dir():
                raise UnslantError(
                    f"The model {self.name} also reads {wanted['model']}, which is not in "
                    f"{wanted['folder']} any more. Give it with load_coref(FILE).on(vectors, "
                    f"us.load(FOLDER))."
                )
            given = load_model(wanted["folder"])
        if given.content_hash != wanted["sha256"]:
            raise UnslantError(
                f"The model {self.name} was trained with {wanted['model']}, whose hash is "
                f"{wanted['sha256'][:16]}…; {given.name} has {given.content_hash[:16]}…."
            )
        return WordsInSentences(given, parse_place(wanted["place"]))

    def save(self, path: str | Path) -> Path:
        """Write the weights (safetensors) and, next to them, a readable record (JSON)."""
        path = Path(path)
        if path.suffix != ".safetensors":
            raise OutputError(f"{path}: a model is written as .safetensors.")
        facts = {
            "shape": self.shape.to_dict(),
            "singletons": self.singletons,
            "record": dict(self.record),
        }
        header = {"kind": KIND, **{key: json.dumps(value) for key, value in facts.items()}}
        with atomic_write(path) as stream:
            stream.write(sealed(self.tensors, header))
        write_text(path.with_suffix(".json"), json.dumps(facts, indent=1, allow_nan=False) + "\n")
        return path


def load_coref(path: str | Path) -> TrainedCoref:
    """The model in a file; other files are refused with a reason."""
    path = Path(path)

    def understood(tensors: Tensors, header: Mapping[str, str]) -> TrainedCoref:
        shape = CorefShape(**json.loads(header["shape"]))
        record, singletons = (json.loads(header[key]) for key in ("record", "singletons"))
        is_table = isinstance(record, dict) and isinstance(record.get("vectors", {}), dict)
        if not is_table or not isinstance(singletons, bool):
            raise ValueError("its record is not a table")
        check_tensors(shape.tensors(), tensors)
        return TrainedCoref(path.stem, shape, tensors, record, singletons, sha256_of_file(path))

    return _FILE.read(path, understood)


@cache
def builtin_coref() -> TrainedCoref:
    """The model in the package, trained on LitBank (Bamman et al. 2020, CC-BY 4.0)."""
    place = files("unslant.models.coreference") / "data" / f"{BUILTIN_MODEL}.safetensors"
    with as_file(place) as path:
        return load_coref(path)
