"""Small random models of every architecture, saved as transformers saves real ones."""

import json
import warnings
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

with warnings.catch_warnings():  # its module compiles functions in a deprecated way
    warnings.simplefilter("ignore")
    import_module("transformers.models.deberta_v2.modeling_deberta_v2")

SENTENCES = (
    "the nurse is here .",
    "the doctor is there .",
    "she sat down",
    "he is an engineer and she is a nurse .",
    "this is a programmer .",
)
_WORDS = sorted({word for sentence in SENTENCES for word in sentence.split()})
_PIECES = ["##s", "##er", "##work", "un"]
VOCABULARY = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", *_WORDS, *_PIECES]

_USUAL: dict[str, Any] = {
    "vocab_size": len(VOCABULARY),
    "hidden_size": 16,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 24,
    "max_position_embeddings": 40,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
_GROUPED = {**_USUAL, "num_key_value_heads": 2}
_ALBERT = {**_USUAL, "embedding_size": 8, "classifier_dropout_prob": 0.0}
_DEBERTA = {
    **_USUAL,
    "relative_attention": True,
    "pos_att_type": ["p2c", "c2p"],
    "share_att_key": True,
    "position_biased_input": False,
    "type_vocab_size": 0,
}
CONFIGURATIONS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "bert": ("bert", _USUAL),
    "roberta": ("roberta", _USUAL),
    "xlm-roberta": ("xlm-roberta", _USUAL),
    "camembert": ("camembert", _USUAL),
    "electra": ("electra", {**_USUAL, "embedding_size": 16}),
    "electra-narrow": ("electra", {**_USUAL, "embedding_size": 8}),
    "distilbert": (
        "distilbert",
        {**_USUAL, "dim": 16, "n_layers": 3, "n_heads": 4, "hidden_dim": 24},
    ),
    "albert": ("albert", _ALBERT),
    "albert-2-groups": ("albert", {**_ALBERT, "num_hidden_layers": 4, "num_hidden_groups": 2}),
    "mpnet": ("mpnet", _USUAL),
    "deberta-v2": ("deberta-v2", _DEBERTA),
    "deberta-v2-convolution": ("deberta-v2", {**_DEBERTA, "conv_kernel_size": 3}),
    "modernbert": (
        "modernbert",
        {**_USUAL, "local_attention": 4, "cls_token_id": 1, "sep_token_id": 2},
    ),
    "gpt2": ("gpt2", {**_USUAL, "n_embd": 16, "n_layer": 3, "n_head": 4, "n_positions": 40}),
    "llama": ("llama", {**_GROUPED, "tie_word_embeddings": True}),
    "llama-untied": ("llama", _GROUPED),
    "mistral": ("mistral", _GROUPED),
    "qwen2": ("qwen2", {**_GROUPED, "tie_word_embeddings": True}),
    "qwen3": ("qwen3", {**_GROUPED, "head_dim": 4}),
}
DECODERS = ("gpt2", "llama", "llama-untied", "mistral", "qwen2", "qwen3")
KINDS = tuple(CONFIGURATIONS)


def save(folder: Path, kind: str, *, head: bool = True, seed: int = 0) -> Path:
    """A random model of a kind with its tokenizer in a folder, with its language-model head."""
    model_type, facts = CONFIGURATIONS[kind]
    config = transformers.CONFIG_MAPPING[model_type](**facts)
    torch.manual_seed(seed)
    auto: Any = transformers.AutoModel
    if head:
        is_decoder = kind in DECODERS
        auto = (
            transformers.AutoModelForCausalLM if is_decoder else transformers.AutoModelForMaskedLM
        )
    network = auto.from_config(config)
    with torch.no_grad():
        for name, value in network.named_parameters():
            is_norm = "norm" in name.lower() or ".ln_" in name
            middle = 1.0 if is_norm and name.endswith("weight") else 0.0
            value.copy_(middle + 0.25 * torch.randn_like(value))
    network.eval()
    network.save_pretrained(folder)
    tokenizer().save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(
        json.dumps(
            {
                "tokenizer_class": "PreTrainedTokenizerFast",
                "pad_token": "[PAD]",
                "cls_token": "[CLS]",
                "sep_token": "[SEP]",
                "unk_token": "[UNK]",
                "mask_token": "[MASK]",
            }
        )
    )
    return folder


def tokenizer() -> Any:
    """A word-piece tokenizer that puts [CLS] before and [SEP] after a text."""
    numbers = {piece: number for number, piece in enumerate(VOCABULARY)}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens(VOCABULARY[:5])
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    return made


def save_sentence_model(
    folder: Path, *, pooling: str = "mean", dense: tuple[str, ...] = (), normalise: bool = True
) -> Path:
    """A random BERT as a sentence-transformers folder; ``dense`` names activations."""
    from safetensors.torch import save_file

    save(folder, "bert", head=False)
    path = "sentence_transformers.models"
    entries = [("", "Transformer"), ("1_Pooling", "Pooling")]
    width, seed = 16, 7
    for number, activation in enumerate(dense):
        inside = f"{number + 2}_Dense"
        entries.append((inside, "Dense"))
        (folder / inside).mkdir()
        made = torch.Generator().manual_seed(seed + number)
        arrays = {
            "linear.weight": torch.randn(width - 2, width, generator=made) / 4,
            "linear.bias": torch.randn(width - 2, generator=made) / 4,
        }
        save_file(arrays, folder / inside / "model.safetensors")
        facts = {"in_features": width, "out_features": width - 2, "bias": True}
        function = {"tanh": "activation.Tanh", "": "linear.Identity"}[activation]
        facts_text = {**facts, "activation_function": f"torch.nn.modules.{function}"}
        (folder / inside / "config.json").write_text(json.dumps(facts_text))
        width -= 2
    if normalise:
        entries.append((f"{len(entries)}_Normalize", "Normalize"))
    modules = [
        {"idx": number, "name": str(number), "path": inside, "type": f"{path}.{kind}"}
        for number, (inside, kind) in enumerate(entries)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 16, "pooling_mode": pooling})
    )
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 30}))
    (folder / "README.md").write_text("---\nlicense: mit\n---\n# A random model\n")
    return folder
