"""Weights that are distributed in other formats, as the arrays and files that transformers reads.

Each reader is for the one model that the tests take from a package registry, not for any model.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]

_LLAMA_NAMES = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_CONTROL = 3  # the type of tokens that no text contains


def bert_from_onnx(path: Path) -> Tensors:
    """BERT's weights under their names in transformers.

    The export keeps biases, norms and tables by name. A product's matrix is stored without a name
    and transposed, so it is called after the bias that is added to the product.
    """
    import onnx

    graph = onnx.load(str(path)).graph
    stored = {item.name: onnx.numpy_helper.to_array(item) for item in graph.initializer}
    product_of = {
        node.output[0]: stored[node.input[1]]
        for node in graph.node
        if node.op_type == "MatMul" and node.input[1] in stored
    }
    weights = {
        name: value
        for name, value in stored.items()
        if name.startswith(("embeddings.", "encoder.")) and not name.endswith("position_ids")
    }
    for node in (node for node in graph.node if node.op_type == "Add"):
        biases = [name for name in node.input if name.endswith(".bias") and name in stored]
        products = [product_of[name] for name in node.input if name in product_of]
        if biases and products:
            weights[biases[0].removesuffix("bias") + "weight"] = products[0].T
    return {name: np.ascontiguousarray(value) for name, value in weights.items()}


def llama_from_gguf(path: Path, folder: Path) -> Tensors:
    """Llama's weights in 32 bits under their names in transformers; writes all other files."""
    import gguf

    reader = gguf.GGUFReader(path)
    said = {name: field.contents() for name, field in reader.fields.items()}
    heads = {"attn_q": said["llama.attention.head_count"]}
    heads["attn_k"] = said["llama.attention.head_count_kv"]
    weights = {}
    for tensor in reader.tensors:
        value = gguf.dequantize(tensor.data, tensor.tensor_type)
        if tensor.name == "token_embd.weight":
            name = "model.embed_tokens.weight"
        elif tensor.name == "output_norm.weight":
            name = "model.norm.weight"
        else:
            _, number, part, _ = tensor.name.split(".")
            name = f"model.layers.{number}.{_LLAMA_NAMES[part]}.weight"
            if part in heads:
                value = halves_apart(value, heads[part])
        weights[name] = np.ascontiguousarray(value, dtype=np.float32)
    _write(folder / "config.json", _llama_config(said))
    _write_tokenizer(folder, said)
    return weights


def halves_apart(matrix: NDArray[Any], heads: int) -> NDArray[Any]:
    """Rows of a head as transformers rotates them: GGUF has the two of each rotation in a row."""
    rows, width = matrix.shape
    pairs = matrix.reshape(heads, rows // heads // 2, 2, width)
    return pairs.swapaxes(1, 2).reshape(rows, width)


def _llama_config(said: dict[str, Any]) -> dict[str, Any]:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "dtype": "float32",
        "hidden_act": "silu",
        "tie_word_embeddings": True,
        "vocab_size": said["llama.vocab_size"],
        "hidden_size": said["llama.embedding_length"],
        "intermediate_size": said["llama.feed_forward_length"],
        "num_hidden_layers": said["llama.block_count"],
        "num_attention_heads": said["llama.attention.head_count"],
        "num_key_value_heads": said["llama.attention.head_count_kv"],
        "head_dim": said["llama.rope.dimension_count"],
        "max_position_embeddings": said["llama.context_length"],
        "rms_norm_eps": said["llama.attention.layer_norm_rms_epsilon"],
        "rope_parameters": {"rope_type": "default", "rope_theta": said["llama.rope.freq_base"]},
        "bos_token_id": said["tokenizer.ggml.bos_token_id"],
        "eos_token_id": said["tokenizer.ggml.eos_token_id"],
        "pad_token_id": said["tokenizer.ggml.padding_token_id"],
    }


def _write_tokenizer(folder: Path, said: dict[str, Any]) -> None:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokens: list[str] = said["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in said["tokenizer.ggml.merges"]]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [  # what GGUF calls "smollm": GPT-2's rules, and every digit is a token
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = zip(tokens, said["tokenizer.ggml.token_type"], strict=True)
    control = [token for token, kind in kinds if kind == _CONTROL]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False) for token in control])
    tokenizer.save(str(folder / "tokenizer.json"))
    named = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}
    roles = {
        f"{role}_token": tokens[said[f"tokenizer.ggml.{name}_token_id"]]
        for role, name in named.items()
    }
    _write(
        folder / "tokenizer_config.json",
        {
            **roles,
            "tokenizer_class": "TokenizersBackend",
            "model_max_length": said["llama.context_length"],
        },
    )
    (folder / "chat_template.jinja").write_text(said["tokenizer.chat_template"])


def _write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2) + "\n")
