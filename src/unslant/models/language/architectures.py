"""Architectures as data: where in each kind of model the parts of a place are.

Names are those of the modules in transformers, relative to the model without its heads; ``{n}`` is
the number of a block, counted from 0. To add an architecture, add a row.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from unslant.core.errors import FileFormatError, UnslantError


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One kind of model. Components of attention are named relative to their block.

    ``query``, ``key`` and ``value`` that name one module are thirds of its output. ``last_norm``
    is the norm after the last block of models that normalise before each block: its output is
    the last layer, because heads and users read that. ``shared`` blocks run several times with
    the same weights.
    """

    wordpieces: str
    embeddings: str
    block: str
    query: str
    key: str
    value: str
    attention: str
    """The projection of the heads' results; the place is its input."""
    pooled: str = ""
    pooler_weights: str = "pooler.dense.weight"
    last_norm: str = ""
    projected: str = ""
    """The module that widens narrow word pieces, in models that allow them."""
    tables: tuple[str, ...] = ()
    """Tables whose sum the embeddings are, in models that do nothing else to them."""
    head_reader: str = ""
    """The first product of the language-model head, which reads the last layer."""
    after_first: str = ""
    """A module after the first block in some models; its output is then the first layer."""
    multiplies_positions: bool = False
    """Whether the query and key products are also applied to relative positions."""
    narrows: bool = False
    """Whether the last block can be computed for some pieces alone, part by part as in BERT."""
    is_decoder: bool = False
    shared: bool = False
    sizes: Mapping[str, str] | None = None
    """Other names of ``layers``, ``width`` and ``heads`` in the configuration."""

    def size_key(self, what: str) -> str:
        """The configuration's name for a size."""
        usual = {
            "layers": "num_hidden_layers",
            "width": "hidden_size",
            "heads": "num_attention_heads",
        }
        return {**usual, **(self.sizes or {})}[what]


_BERT = Architecture(
    wordpieces="embeddings.word_embeddings",
    embeddings="embeddings",
    block="encoder.layer.{n}",
    query="attention.self.query",
    key="attention.self.key",
    value="attention.self.value",
    attention="attention.output.dense",
    pooled="pooler",
    head_reader="cls.predictions.transform.dense",
    narrows=True,
)
_ROBERTA = replace(_BERT, head_reader="lm_head.dense")
_LLAMA = Architecture(
    wordpieces="embed_tokens",
    embeddings="embed_tokens",
    block="layers.{n}",
    query="self_attn.q_proj",
    key="self_attn.k_proj",
    value="self_attn.v_proj",
    attention="self_attn.o_proj",
    last_norm="norm",
    is_decoder=True,
    tables=("embed_tokens",),
    head_reader="lm_head",
)

ARCHITECTURES: Mapping[str, Architecture] = {
    "bert": _BERT,
    "roberta": _ROBERTA,
    "xlm-roberta": _ROBERTA,
    "camembert": _ROBERTA,
    "electra": Architecture(
        wordpieces="embeddings.word_embeddings",
        embeddings="embeddings",
        projected="embeddings_project",
        head_reader="generator_predictions.dense",
        block="encoder.layer.{n}",
        query="attention.self.query",
        key="attention.self.key",
        value="attention.self.value",
        attention="attention.output.dense",
        narrows=True,
    ),
    "distilbert": Architecture(
        wordpieces="embeddings.word_embeddings",
        embeddings="embeddings",
        block="transformer.layer.{n}",
        query="attention.q_lin",
        key="attention.k_lin",
        value="attention.v_lin",
        attention="attention.out_lin",
        head_reader="vocab_transform",
        sizes={"layers": "n_layers", "width": "dim", "heads": "n_heads"},
    ),
    "albert": Architecture(
        wordpieces="embeddings.word_embeddings",
        embeddings="encoder.embedding_hidden_mapping_in",
        projected="encoder.embedding_hidden_mapping_in",
        block="encoder.albert_layer_groups.{n}",
        query="albert_layers.0.attention.query",
        key="albert_layers.0.attention.key",
        value="albert_layers.0.attention.value",
        attention="albert_layers.0.attention.dense",
        pooled="pooler_activation",
        pooler_weights="pooler.weight",
        head_reader="predictions.dense",
        shared=True,
    ),
    "mpnet": Architecture(
        wordpieces="embeddings.word_embeddings",
        embeddings="embeddings",
        block="encoder.layer.{n}",
        query="attention.attn.q",
        key="attention.attn.k",
        value="attention.attn.v",
        attention="attention.attn.o",
        pooled="pooler",
        head_reader="lm_head.dense",
    ),
    "deberta-v2": Architecture(
        wordpieces="embeddings.word_embeddings",
        embeddings="embeddings",
        block="encoder.layer.{n}",
        query="attention.self.query_proj",
        key="attention.self.key_proj",
        value="attention.self.value_proj",
        attention="attention.output.dense",
        head_reader="cls.predictions.transform.dense",
        after_first="encoder.conv",
        multiplies_positions=True,
    ),
    "modernbert": Architecture(
        wordpieces="embeddings.tok_embeddings",
        embeddings="embeddings",
        block="layers.{n}",
        query="attn.Wqkv",
        key="attn.Wqkv",
        value="attn.Wqkv",
        attention="attn.Wo",
        last_norm="final_norm",
        head_reader="head.dense",
    ),
    "gpt2": Architecture(
        wordpieces="wte",
        embeddings="drop",
        block="h.{n}",
        query="attn.c_attn",
        key="attn.c_attn",
        value="attn.c_attn",
        attention="attn.c_proj",
        last_norm="ln_f",
        is_decoder=True,
        tables=("wte", "wpe"),
        head_reader="lm_head",
        sizes={"layers": "n_layer", "width": "n_embd", "heads": "n_head"},
    ),
    "llama": _LLAMA,
    "mistral": _LLAMA,
    "qwen2": _LLAMA,
    "qwen3": _LLAMA,
}


def architecture_of(kind: str, name: str) -> Architecture:
    """The row of an architecture, or one sentence that says which there are."""
    if kind in ("lstm", "elmo"):
        raise FileFormatError(f"{name} is an ELMo; its folder needs options.json and HDF5 weights.")
    if kind not in ARCHITECTURES:
        known = ", ".join(sorted(ARCHITECTURES))
        raise UnslantError(
            f"{name} has the architecture {kind!r:.60}, which is not supported. "
            f"Supported: {known}. To add one, see docs/add-an-architecture.md."
        )
    return ARCHITECTURES[kind]
