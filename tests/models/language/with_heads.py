"""Small random models with their heads, saved as transformers saves real ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from tests.made_erasers import made_of
from unslant.core.places import parse_place
from unslant.erasers import EachVector
from unslant.erasers.linear import LowRank, projection
from unslant.models.language.interventions import AtPlace, Intervention
from unslant.models.language.model import TransformerModel

WORDS = ["the", "nurse", "doctor", "is", "was", "here", "there", "she", "he", "sat", "down"]
WORDS += ["tired", "and", "."]
VOCABULARY = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *WORDS, "##ly", "##er"]
_SIZES: dict[str, Any] = {
    "vocab_size": len(VOCABULARY),
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
_CONFIGS: dict[str, Any] = {
    "bert": lambda: transformers.BertConfig(**_SIZES),
    "llama": lambda: transformers.LlamaConfig(**_SIZES, tie_word_embeddings=True),
    "gpt2": lambda: transformers.GPT2Config(
        **_SIZES, n_embd=16, n_layer=2, n_head=2, n_positions=20
    ),
}


def saved(folder: Path, kind: str, *, head: bool = True, is_begun: bool = False) -> Path:
    """A random model in a folder; its tokenizer puts the sign of a beginning there if told."""
    torch.manual_seed(0)
    config = _CONFIGS[kind]()
    is_decoder = kind != "bert"
    made: Any = transformers.AutoModel
    if head:
        made = (
            transformers.AutoModelForCausalLM if is_decoder else transformers.AutoModelForMaskedLM
        )
    network = made.from_config(config)
    with torch.no_grad():
        for value in network.parameters():
            value.add_(0.3 * torch.randn_like(value))
    network.save_pretrained(folder)
    tokenizer = Tokenizer(
        models.WordPiece({piece: n for n, piece in enumerate(VOCABULARY)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(VOCABULARY[:5])
    around = "[CLS] $A [SEP]" if not is_decoder else ("[CLS] $A" if is_begun else "$A")
    tokenizer.post_processor = processors.TemplateProcessing(
        single=around, special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[MASK]"}))
    return folder


def without_direction(model: TransformerModel, place: str) -> TransformerModel:
    """The model with one direction removed at a place."""
    width = model.site(parse_place(place)).width
    basis = np.random.default_rng(0).normal(size=(1, width))
    return _acting(model, place, projection(basis / np.linalg.norm(basis)))


def without_nothing(model: TransformerModel, place: str) -> TransformerModel:
    """The model with an eraser of rank zero at a place."""
    width = model.site(parse_place(place)).width
    return _acting(model, place, projection(np.zeros((0, width))))


def _acting(model: TransformerModel, place: str, transform: LowRank) -> TransformerModel:
    eraser = made_of(EachVector(transform))
    return model.intervened(Intervention((AtPlace(parse_place(place), eraser),)))
