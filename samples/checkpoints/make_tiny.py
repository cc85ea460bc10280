#!/usr/bin/env python3
"""Write a small random Hugging Face checkpoint with the files and tensor names of a real one.

    python3 make_tiny.py llama2 out/llama2
    python3 make_tiny.py qwen3 out/qwen3 --format bin --shards 3
    python3 make_tiny.py qwen15 out/qwen15 --full

Only the standard library is used. The weights are bfloat16 and depend on --seed and on the
tensor's name alone, so the same model in another format or number of shards has the same values.
"""

import argparse
import json
import math
import random
import struct
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

CHUNK_BYTES = 1 << 20
BF16_BYTES = 2


# --- families ---------------------------------------------------------------------------------

COMMON_CONFIG = {
    "attention_dropout": 0.0,
    "hidden_act": "silu",
    "initializer_range": 0.02,
    "torch_dtype": "bfloat16",
    "use_cache": True,
}


@dataclass(frozen=True)
class Family:
    config: dict  # what every size of the family has in its config.json
    tiny: dict  # 8 heads, 4 layers, and sizes that 1, 2 and 4 tensor-parallel ranks divide
    full: dict  # the sizes of `full_name`
    full_name: str
    special_tokens: tuple  # with consecutive numbers; bos_token_id is the number of `bos_token`
    bos_token: str
    attention_bias: bool = False
    qk_norm: bool = False


FAMILIES = {
    "llama2": Family(
        config={
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "attention_bias": False,
            "mlp_bias": False,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "pretraining_tp": 1,
            "rms_norm_eps": 1e-05,
            "rope_scaling": None,
            "rope_theta": 10000.0,
            "tie_word_embeddings": False,
            "transformers_version": "4.35.0",
        },
        tiny={
            "hidden_size": 256,
            "intermediate_size": 704,
            "max_position_embeddings": 512,
            "num_attention_heads": 8,
            "num_hidden_layers": 4,
            "num_key_value_heads": 4,
            "vocab_size": 512,
        },
        full={
            "hidden_size": 2048,
            "intermediate_size": 5632,
            "max_position_embeddings": 2048,
            "num_attention_heads": 32,
            "num_hidden_layers": 22,
            "num_key_value_heads": 4,
            "vocab_size": 32000,
        },
        full_name="TinyLlama-1.1B",
        special_tokens=("<unk>", "<s>", "</s>"),
        bos_token="<s>",
    ),
    "qwen15": Family(
        config={
            "architectures": ["Qwen2ForCausalLM"],
            "model_type": "qwen2",
            "max_window_layers": 21,
            "rms_norm_eps": 1e-06,
            "rope_theta": 1000000.0,
            "sliding_window": 32768,
            "tie_word_embeddings": True,
            "transformers_version": "4.37.0",
            "use_sliding_window": False,
        },
        tiny={
            "bos_token_id": 256,
            "eos_token_id": 256,
            "hidden_size": 256,
            "intermediate_size": 704,
            "max_position_embeddings": 512,
            "num_attention_heads": 8,
            "num_hidden_layers": 4,
            "num_key_value_heads": 8,
            "vocab_size": 640,
        },
        full={
            "bos_token_id": 151643,
            "eos_token_id": 151643,
            "hidden_size": 1024,
            "intermediate_size": 2816,
            "max_position_embeddings": 32768,
            "num_attention_heads": 16,
            "num_hidden_layers": 24,
            "num_key_value_heads": 16,
            "vocab_size": 151936,
        },
        full_name="Qwen1.5-0.5B",
        special_tokens=("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
        bos_token="<|endoftext|>",
        attention_bias=True,
    ),
    "qwen3": Family(
        config={
            "architectures": ["Qwen3ForCausalLM"],
            "model_type": "qwen3",
            "attention_bias": False,
            "max_window_layers": 28,
            "rms_norm_eps": 1e-06,
            "rope_scaling": None,
            "rope_theta": 1000000,
            "sliding_window": None,
            "tie_word_embeddings": True,
            "transformers_version": "4.51.0",
            "use_sliding_window": False,
        },
        tiny={
            "bos_token_id": 256,
            "eos_token_id": 258,
            "head_dim": 64,
            "hidden_size": 256,
            "intermediate_size": 768,
            "max_position_embeddings": 512,
            "num_attention_heads": 8,
            "num_hidden_layers": 4,
            "num_key_value_heads": 4,
            "vocab_size": 640,
        },
        full={
            "bos_token_id": 151643,
            "eos_token_id": 151645,
            "head_dim": 128,
            "hidden_size": 1024,
            "intermediate_size": 3072,
            "max_position_embeddings": 40960,
            "num_attention_heads": 16,
            "num_hidden_layers": 28,
            "num_key_value_heads": 8,
            "vocab_size": 151936,
        },
        full_name="Qwen3-0.6B",
        special_tokens=("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
        bos_token="<|endoftext|>",
        qk_norm=True,
    ),
}


def build_config(family, args):
    sizes = dict(family.full if args.full else family.tiny)
    if args.layers is not None:
        sizes["num_hidden_layers"] = args.layers
    config = {**COMMON_CONFIG, **family.config, **sizes}
    if args.tied is not None:
        config["tie_word_embeddings"] = args.tied
    return dict(sorted(config.items()))


# --- tensors ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tensor:
    name: str
    shape: tuple
    source: str  # the name that selects the values: another tensor's for a stored copy

    @property
    def numel(self):
        return math.prod(self.shape)

    @property
    def byte_count(self):
        return self.numel * BF16_BYTES


def list_tensors(family, config, keep_tied_head):
    """All tensors in the order of the model."""
    hidden, ffn, vocab = config["hidden_size"], config["intermediate_size"], config["vocab_size"]
    heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
    head_dim = config.get("head_dim", hidden // heads)
    tensors = []

    def add(name, *shape, source=None):
        tensors.append(Tensor(name, shape, source or name))

    add("model.embed_tokens.weight", vocab, hidden)
    for number in range(config["num_hidden_layers"]):
        layer = f"model.layers.{number}"
        add(f"{layer}.input_layernorm.weight", hidden)
        for projection, count in (("q_proj", heads), ("k_proj", groups), ("v_proj", groups)):
            add(f"{layer}.self_attn.{projection}.weight", count * head_dim, hidden)
            if family.attention_bias:
                add(f"{layer}.self_attn.{projection}.bias", count * head_dim)
        add(f"{layer}.self_attn.o_proj.weight", hidden, heads * head_dim)
        if family.qk_norm:
            add(f"{layer}.self_attn.q_norm.weight", head_dim)
            add(f"{layer}.self_attn.k_norm.weight", head_dim)
        add(f"{layer}.post_attention_layernorm.weight", hidden)
        add(f"{layer}.mlp.gate_proj.weight", ffn, hidden)
        add(f"{layer}.mlp.up_proj.weight", ffn, hidden)
        add(f"{layer}.mlp.down_proj.weight", hidden, ffn)
    add("model.norm.weight", hidden)
    if not config["tie_word_embeddings"]:
        add("lm_head.weight", vocab, hidden)
    elif keep_tied_head:
        add("lm_head.weight", vocab, hidden, source="model.embed_tokens.weight")
    return tensors


# A bfloat16 is  s eeeeeee | e mmmmmmm  (high byte | low byte), value 1.mmmmmmm * 2^(e - 127).
# Low bytes stay random; the high byte keeps its sign bit and gets one of two exponents, which
# gives magnitudes between 2^-9 and 2^-5 with a root mean square near 0.015.
WEIGHT_HIGH_BYTE = bytes((b & 0x80) | (0x3C if b & 0x7F < 80 else 0x3B) for b in range(256))
# Norm weights lie between 1 and 1.12: high byte 0x3f, low byte 0x80 to 0x8f.
NORM_HIGH_BYTE = bytes([0x3F]) * 256
NORM_LOW_BYTE = bytes(0x80 | (b & 0x0F) for b in range(256))


def tensor_bytes(tensor, seed):
    """Yield the little-endian values of ``tensor`` in pieces of at most CHUNK_BYTES."""
    rng = random.Random(f"{seed}:{tensor.source}")
    is_norm = "norm" in tensor.source
    left = tensor.byte_count
    while left:
        piece = bytearray(rng.randbytes(min(left, CHUNK_BYTES)))
        piece[1::2] = piece[1::2].translate(NORM_HIGH_BYTE if is_norm else WEIGHT_HIGH_BYTE)
        if is_norm:
            piece[0::2] = piece[0::2].translate(NORM_LOW_BYTE)
        yield piece
        left -= len(piece)


def split_into_shards(tensors, count):
    """``count`` consecutive, non-empty groups of roughly equal size; needs that many tensors."""
    total = sum(t.byte_count for t in tensors)
    shards, done = [[]], 0
    for index, tensor in enumerate(tensors):
        missing = count - len(shards)
        full = done >= total * len(shards) / count
        if shards[-1] and missing and (full or len(tensors) - index == missing):
            shards.append([])
        shards[-1].append(tensor)
        done += tensor.byte_count
    return shards


# --- safetensors ------------------------------------------------------------------------------
# u64 header length | header JSON, padded with spaces to 8 bytes | tensor data


def write_safetensors(path, tensors, seed):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for tensor in tensors:
        end = offset + tensor.byte_count
        header[tensor.name] = {"dtype": "BF16", "shape": list(tensor.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors:
            for piece in tensor_bytes(tensor, seed):
                file.write(piece)


# --- torch.save -------------------------------------------------------------------------------
# A zip archive without compression: NAME/data.pkl describes the tensors and refers to NAME/data/0,
# NAME/data/1, ... which hold their bytes.

PAYLOAD_ALIGNMENT = 64


def write_torch_zip(path, tensors, seed):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:

        def add(record, size, pieces):
            with archive.open(aligned_member(archive, f"{path.stem}/{record}", size), "w") as member:
                for piece in pieces:
                    member.write(piece)

        for record, content in (
            ("data.pkl", pickle_state_dict(tensors)),
            ("byteorder", b"little"),
            ("version", b"3\n"),
        ):
            add(record, len(content), [content])
        for key, tensor in enumerate(tensors):
            add(f"data/{key}", tensor.byte_count, tensor_bytes(tensor, seed))


def aligned_member(archive, name, size):
    """A zip member whose content starts at a multiple of 64 bytes, as torch.save aligns it."""
    member = zipfile.ZipInfo(name)
    member.file_size = size
    zip64_extra = 20 if size * 1.05 > zipfile.ZIP64_LIMIT else 0  # the same test as zipfile's own
    local_header = 30 + len(name.encode()) + zip64_extra
    padding = -(archive.fp.tell() + local_header + 4) % PAYLOAD_ALIGNMENT
    member.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
    return member


def pickle_state_dict(tensors):
    """The protocol 2 pickle of an OrderedDict from names to contiguous CPU tensors."""

    def string(value):
        data = value.encode()
        return b"X" + struct.pack("<I", len(data)) + data  # BINUNICODE

    def integer(value):
        if 0 <= value < 1 << 31:
            return b"J" + struct.pack("<i", value)  # BININT
        data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return b"\x8a" + bytes([len(data)]) + data  # LONG1

    def function(module, name):
        return f"c{module}\n{name}\n".encode()  # GLOBAL

    def tuple_of(*items):
        return b"(" + b"".join(items) + b"t"  # MARK ... TUPLE

    def call(callee, *arguments):
        return callee + tuple_of(*arguments) + b"R"  # REDUCE

    ordered_dict = call(function("collections", "OrderedDict"))
    items = []
    for key, tensor in enumerate(tensors):
        strides = [math.prod(tensor.shape[axis + 1 :]) for axis in range(len(tensor.shape))]
        storage = tuple_of(
            string("storage"),
            function("torch", "BFloat16Storage"),
            string(str(key)),
            string("cpu"),
            integer(tensor.numel),
        )
        value = call(
            function("torch._utils", "_rebuild_tensor_v2"),
            storage + b"Q",  # BINPERSID
            integer(0),
            tuple_of(*map(integer, tensor.shape)),
            tuple_of(*map(integer, strides)),
            b"\x89",  # NEWFALSE: requires_grad
            ordered_dict,
        )
        items += [string(tensor.name), value]
    return b"\x80\x02" + ordered_dict + b"(" + b"".join(items) + b"u."  # PROTO 2 ... SETITEMS STOP


# --- the directory ----------------------------------------------------------------------------

FORMATS = {
    "safetensors": ("model", ".safetensors", write_safetensors),
    "bin": ("pytorch_model", ".bin", write_torch_zip),
}


def write_weights(directory, tensors, args):
    stem, suffix, write = FORMATS[args.format]
    if args.shards == 1:
        write(directory / f"{stem}{suffix}", tensors, args.seed)
        return
    weight_map = {}
    for number, shard in enumerate(split_into_shards(tensors, args.shards), start=1):
        name = f"{stem}-{number:05d}-of-{args.shards:05d}{suffix}"
        write(directory / name, shard, args.seed)
        weight_map.update((tensor.name, name) for tensor in shard)
    index = {
        "metadata": {"total_size": sum(t.byte_count for t in tensors)},
        "weight_map": dict(sorted(weight_map.items())),
    }
    write_json(directory / f"{stem}{suffix}.index.json", index)


def write_tokenizer(directory, family, config):
    """A byte-level tokenizer without merges; it encodes any text, one token per byte."""
    first = config["bos_token_id"] - family.special_tokens.index(family.bos_token)
    special = {token: first + position for position, token in enumerate(family.special_tokens)}
    # The bytes come after special tokens that start at 0 (Llama), and otherwise before them (Qwen).
    first_byte = len(special) if first == 0 else 0
    vocab = {char: first_byte + byte for byte, char in enumerate(byte_alphabet())} | special
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": number, "content": token, **flags} for token, number in special.items()],
        "normalizer": None,
        "pre_tokenizer": byte_level,
        "post_processor": None,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "vocab": dict(sorted(vocab.items(), key=lambda item: item[1])),
            "merges": [],
        },
    }
    settings = {
        "added_tokens_decoder": {str(number): {"content": token, **flags} for token, number in special.items()},
        "bos_token": family.bos_token,
        "clean_up_tokenization_spaces": False,
        "eos_token": family.special_tokens[config["eos_token_id"] - first],
        "model_max_length": config["max_position_embeddings"],
        "tokenizer_class": "PreTrainedTokenizerFast",
    }
    write_json(directory / "tokenizer.json", tokenizer)
    write_json(directory / "tokenizer_config.json", settings)


def byte_alphabet():
    """The printable characters that stand for the bytes 0 to 255 in GPT-2's byte-level BPE."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("family", choices=sorted(FAMILIES))
    parser.add_argument("out_dir", type=Path, help="created if it does not exist; must be empty")
    parser.add_argument("--format", choices=sorted(FORMATS), default="safetensors", help="default: %(default)s")
    parser.add_argument("--shards", type=positive, default=2, metavar="N", help="weight files (default: %(default)s)")
    parser.add_argument("--layers", type=positive, metavar="N", help="default: 4, or the real number with --full")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: %(default)s")
    full = ", ".join(f"{name}: {family.full_name}" for name, family in sorted(FAMILIES.items()))
    parser.add_argument("--full", action="store_true", help=f"the sizes of a real model ({full})")
    parser.add_argument(
        "--tied", action=argparse.BooleanOptionalAction, help="tie_word_embeddings; default: as in the family"
    )
    parser.add_argument(
        "--keep-tied-head",
        action="store_true",
        help="store lm_head.weight even when it is tied, as some published models do",
    )
    return parser.parse_args()


def main():
    args = parse_args()
    family = FAMILIES[args.family]
    if args.out_dir.exists() and (not args.out_dir.is_dir() or any(args.out_dir.iterdir())):
        sys.exit(f"{args.out_dir}: exists and is not an empty directory")
    config = build_config(family, args)
    tensors = list_tensors(family, config, args.keep_tied_head)
    if args.shards > len(tensors):
        sys.exit(f"--shards {args.shards}: the model has only {len(tensors)} tensors")

    args.out_dir.mkdir(parents=True, exist_ok=True)
    write_json(args.out_dir / "config.json", config)
    generation = {name: config[name] for name in ("bos_token_id", "eos_token_id", "transformers_version")}
    write_json(args.out_dir / "generation_config.json", {"_from_model_config": True, **generation})
    write_tokenizer(args.out_dir, family, config)
    write_weights(args.out_dir, tensors, args)
    total = sum(t.byte_count for t in tensors)
    print(f"{args.out_dir}: {len(tensors)} tensors, {total / 2**20:.1f} MiB of weights in {args.shards} file(s)")


if __name__ == "__main__":
    main()
