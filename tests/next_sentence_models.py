"""Small BERTs with both heads of their pretraining, saved as transformers saves real ones."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from unslant.models.language.plausibility import held_out_pairs

SIGNS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"]
_WIDTH = 64


def tokenizer_for(texts: Sequence[str], *, is_paired: bool = True) -> Any:
    """Whole lower-case words of the texts, letters, and [CLS] and [SEP] around one or two texts."""
    split = pre_tokenizers.BertPreTokenizer()
    words = {piece for text in texts for piece, _ in split.pre_tokenize_str(text.lower())}
    letters = [chr(number) for number in range(33, 127)]
    vocabulary = [*SIGNS, *sorted(words | set(letters)), *(f"##{letter}" for letter in letters)]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(vocabulary))}
    made = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = split
    made.add_special_tokens(SIGNS)
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1" if is_paired else "[CLS] $A [SEP] $B [SEP]",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    return made


def saved_with_heads(
    folder: Path,
    texts: Sequence[str] = (),
    *,
    column: int = 0,
    is_trained: bool = True,
    is_paired: bool = True,
    scale: float = 1.0,
) -> Path:
    """A BERT whose next-sentence head knows the held-out pairs, with "next" in a column.

    Nothing else is trained. An untrained head is random.
    """
    pairs = held_out_pairs()
    tokenizer = tokenizer_for(
        [*texts, *(text for pair in pairs for text in pair)], is_paired=is_paired
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=_WIDTH,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=80,
        pad_token_id=0,
    )
    network = transformers.BertForPreTraining(config).eval()
    with torch.no_grad():
        for value in network.parameters():
            value.add_(0.15 * torch.randn_like(value))
    if is_trained:
        _train(network, tokenizer, column, scale)
    network.save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"mask_token": "[MASK]"}))
    return folder


def _train(network: Any, tokenizer: Any, column: int, scale: float) -> None:
    """The head that tells the held-out pairs from shuffled ones best, by least squares."""
    pairs = held_out_pairs()
    seconds = [second for _, second in pairs]
    shift = len(seconds) // 2
    others = [*seconds[shift:], *seconds[:shift]]
    rows = []
    with torch.no_grad():
        for given in (seconds, others):
            for (first, _), second in zip(pairs, given, strict=True):
                made = tokenizer.encode(first, second)
                ids, parts = torch.tensor([made.ids]), torch.tensor([made.type_ids])
                rows.append(network.bert(input_ids=ids, token_type_ids=parts).pooler_output[0])
        pooled = torch.stack(rows).double().numpy()
        apart = pooled[: len(pairs)] - pooled[len(pairs) :]
        solved, *_ = np.linalg.lstsq(apart, np.ones(len(pairs)), rcond=1e-2)
        solved /= np.linalg.norm(solved)
        head = network.cls.seq_relationship
        signs = torch.tensor([[1.0], [-1.0]]) * (1 if column == 0 else -1) * scale
        head.weight.copy_(signs * torch.tensor(solved, dtype=torch.float32))
        head.bias.copy_(-signs[:, 0] * float((pooled @ solved).mean()))
