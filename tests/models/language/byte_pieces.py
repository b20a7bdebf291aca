"""A small random RoBERTa whose pieces are bytes with their leading spaces, as in the real one."""

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

SIGNS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
_TEXTS = [
    "The nurse said that she was tired. The doctor said that he was here.",
    "A schoolteacher sat down and the engineer was there, tired and happy.",
]


def saved_roberta(folder: Path) -> Path:
    """The model with its masked head and its tokenizer in a folder."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=330,
        special_tokens=SIGNS,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_TEXTS, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    size = tokenizer.get_vocab_size()
    torch.manual_seed(1)
    config = transformers.RobertaConfig(
        vocab_size=size,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=80,
        pad_token_id=1,
        bos_token_id=0,
        eos_token_id=2,
    )
    network: Any = transformers.RobertaForMaskedLM(config)
    with torch.no_grad():
        for value in network.parameters():
            value.add_(0.3 * torch.randn_like(value))
    network.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "<mask>"}))
    return folder
