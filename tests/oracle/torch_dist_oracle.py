"""Compares our reader and writer of torch_dist with torch.distributed.checkpoint, by way of torch_dist_probe.

What the probe writes must load with PyTorch and have the values that the probe documents; what PyTorch writes must be
found by the probe, every element at the place that it says.
"""

import argparse
import io
import itertools
import json
import pickle
import pickletools
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save  # noqa: E402
from torch.distributed.checkpoint.metadata import (BytesStorageMetadata, ChunkStorageMetadata,  # noqa: E402
                                                   MetadataIndex, TensorProperties)
from torch.distributed.checkpoint.planner import TensorWriteData, WriteItem, WriteItemType  # noqa: E402

TORCH_TYPES = {"bool": torch.bool, "u8": torch.uint8, "i8": torch.int8, "u16": torch.uint16, "i16": torch.int16,
               "u32": torch.uint32, "i32": torch.int32, "u64": torch.uint64, "i64": torch.int64, "f16": torch.float16,
               "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64,
               "c128": torch.complex128, "f8_e4m3": torch.float8_e4m3fn, "f8_e5m2": torch.float8_e5m2}
OUR_NAMES = {dtype: name for name, dtype in TORCH_TYPES.items()}

# The sample of torch_dist_probe: name -> type, shape, chunks.
SAMPLE = {"embedding.word_embeddings.weight": ("bf16", (10, 6), 1),
          "decoder.layers.mlp.linear_fc1.weight": ("f32", (2, 6, 4), 2),
          "decoder.layers.mlp.experts.weight": ("f16", (2, 3, 5), 8),
          "decoder.final_layernorm.weight": ("f64", (7,), 3),
          "scalar": ("i64", (), 1),
          "empty": ("f32", (0, 3), 1)}
for type_name in ("bool", "u8", "i8", "i16", "u16", "i32", "u32", "u64", "c64", "c128", "f8_e4m3", "f8_e5m2"):
    SAMPLE[f"types.{type_name}"] = (type_name, (3, 4), 2)
EXTRA_STATES = [f"decoder.layers.mlp.linear_fc1._extra_state/shard_{layer}_2" for layer in range(2)]
COMMON_ITEM = "common_state/shard_0_1"
METADATA_JSON = '{"sharded_backend": "torch_dist", "sharded_backend_version": 1}'


def raw(tensor):
    """The bytes of a tensor, in the order of its elements."""
    return tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes() if tensor.numel() else b""


def sample_tensor(type_name, shape):
    """Byte b of the whole tensor is 7 * b modulo 61 (modulo 2 for truth values)."""
    dtype = TORCH_TYPES[type_name]
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if count == 0:
        return torch.empty(shape, dtype=dtype)
    data = np.arange(count, dtype=np.int64) * 7 % (2 if type_name == "bool" else 61)
    return torch.from_numpy(data.astype(np.uint8)).view(dtype).reshape(shape)


def item_bytes(directory, place):
    return (directory / place.relative_path).read_bytes()[place.offset:place.offset + place.length]


def check_items(checks, directory, metadata):
    """Each item on its own: a sound zip archive that torch.load takes without trust."""
    for index, place in metadata.storage_data.items():
        where = f"item of {index.fqn} at {index.offset}"
        data = item_bytes(directory, place)
        checks.equal(len(data), place.length, f"{where}: length")
        checks.equal(zipfile.ZipFile(io.BytesIO(data)).testzip(), None, f"{where}: damaged member")
        with torch.serialization.safe_globals([argparse.Namespace]):
            value = torch.load(io.BytesIO(data), weights_only=True)
        if index.fqn in EXTRA_STATES:
            checks.equal(value, [None], where)
        elif index.fqn == COMMON_ITEM:
            checks.equal(value[0]["args"].num_layers, 2, where)
        else:
            chunk = next(c for c in metadata.state_dict_metadata[index.fqn].chunks if c.offsets == index.offset)
            checks.equal(value.shape, chunk.sizes, f"{where}: shape")


def check_metadata(checks, directory, metadata):
    checks.equal(sorted(metadata.state_dict_metadata), sorted([*SAMPLE, *EXTRA_STATES, COMMON_ITEM]), "names written")
    for fqn, (type_name, shape, chunks) in SAMPLE.items():
        entry = metadata.state_dict_metadata[fqn]
        found = (entry.properties.dtype, entry.properties.layout, entry.properties.memory_format, entry.size, len(entry.chunks))
        wanted = (TORCH_TYPES[type_name], torch.strided, torch.contiguous_format, torch.Size(shape), chunks)
        checks.equal(found, wanted, f"metadata of {fqn}")
        for chunk in entry.chunks:
            checks.expect(MetadataIndex(fqn, chunk.offsets) in metadata.storage_data, f"{fqn} at {chunk.offsets} is not stored")
    for fqn in [*EXTRA_STATES, COMMON_ITEM]:
        checks.expect(isinstance(metadata.state_dict_metadata[fqn], BytesStorageMetadata), f"{fqn} is no bytes entry")
        checks.expect(MetadataIndex(fqn) in metadata.storage_data, f"{fqn} is not stored")
    opcodes = [(opcode.name, argument) for opcode, argument, _ in pickletools.genops((directory / ".metadata").read_bytes())]
    checks.equal(opcodes[0], ("PROTO", 2), "first opcode of .metadata")


def check_values(checks, state, what):
    for fqn, (type_name, shape, _) in SAMPLE.items():
        wanted = sample_tensor(type_name, shape)
        checks.equal((state[fqn].dtype, state[fqn].shape), (wanted.dtype, wanted.shape), f"{what}: type and shape of {fqn}")
        checks.equal(raw(state[fqn]), raw(wanted), f"{what}: values of {fqn}")


def check_written(checks, directory, scratch):
    """What the probe wrote, read by PyTorch."""
    if not run_ok(checks, tool("torch_dist_probe"), "write", directory):
        return
    checks.equal((directory / "metadata.json").read_text(), METADATA_JSON, "metadata.json")
    metadata = dcp.FileSystemReader(directory).read_metadata()
    check_metadata(checks, directory, metadata)
    check_items(checks, directory, metadata)

    state = {fqn: torch.empty(shape, dtype=TORCH_TYPES[type_name]) for fqn, (type_name, shape, _) in SAMPLE.items()}
    state.update({fqn: None for fqn in [*EXTRA_STATES, COMMON_ITEM]})
    dcp.load(state, storage_reader=dcp.FileSystemReader(directory), no_dist=True)
    check_values(checks, state, "dcp.load")
    checks.equal([state[fqn] for fqn in EXTRA_STATES], [[None], [None]], "extra states")

    dcp_to_torch_save(directory, scratch / "whole.pt")
    whole = torch.load(scratch / "whole.pt", weights_only=False)
    check_values(checks, flattened(whole), "dcp_to_torch_save")

    with torch.serialization.safe_globals([argparse.Namespace]):
        common = torch.load(directory / "common.pt", weights_only=True)
    checks.equal(common["checkpoint_version"], 3.0, "checkpoint_version in common.pt")
    checks.equal(common["args"].params_dtype, torch.bfloat16, "params_dtype in common.pt")
    checks.equal(state[COMMON_ITEM][0]["args"], common["args"], "arguments in the item and in common.pt")


def flattened(tree, prefix=""):
    """A nested dict with dotted names."""
    out = {}
    for key, value in tree.items():
        out.update(flattened(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value})
    return out


class Chunked(torch.Tensor):
    """A tensor that PyTorch saves in chunks of `step`, as it does those that are spread over ranks."""

    @staticmethod
    def of(tensor, step):
        chunked = torch.Tensor._make_subclass(Chunked, tensor)
        chunked.whole = tensor
        starts = itertools.product(*(range(0, size, width) for size, width in zip(tensor.shape, step)))
        chunked.chunks = [ChunkStorageMetadata(torch.Size(at), torch.Size(min(width, size - start) for width, size, start in
                                                                          zip(step, tensor.shape, at))) for at in starts]
        return chunked

    def __create_write_items__(self, fqn, _):
        return [WriteItem(MetadataIndex(fqn, chunk.offsets, number), WriteItemType.SHARD,
                          tensor_data=TensorWriteData(chunk, TensorProperties(dtype=self.dtype), self.whole.size()))
                for number, chunk in enumerate(self.chunks)]

    def __get_tensor_shard__(self, index):
        return part_of(self.whole, index.offset, self.chunks[index.index].sizes).clone()


def part_of(tensor, offsets, sizes):
    return tensor[tuple(slice(start, start + size) for start, size in zip(offsets, sizes))]


def saved_state():
    """Every type, in shapes of 0 to 4 axes, views of larger storages, tensors in chunks, and an object."""
    generator = torch.Generator().manual_seed(1)
    state = {}
    for name, dtype in TORCH_TYPES.items():
        data = torch.randint(0, 2 if name == "bool" else 61, (24 * dtype.itemsize,), generator=generator, dtype=torch.uint8)
        state[f"types.{name}"] = data.view(dtype).reshape(2, 3, 4)
    state["scalar"] = torch.tensor(3.5)
    state["empty"] = torch.empty(0, 5)
    state["four.axes"] = torch.arange(120, dtype=torch.int32).reshape(2, 3, 4, 5)
    state["transposed"] = torch.arange(12, dtype=torch.float32).reshape(3, 4).t()
    state["slice"] = torch.arange(100, dtype=torch.float32)[10:20]
    state["large"] = torch.arange(300_000, dtype=torch.int64).reshape(300, 1000)
    state["chunks.two"] = Chunked.of(torch.arange(40, dtype=torch.bfloat16).reshape(10, 4), (4, 3))
    state["chunks.three"] = Chunked.of(torch.arange(60, dtype=torch.float32).reshape(3, 4, 5), (1, 2, 5))
    state["object"] = {"step": 3, "names": ["a", "b"]}
    return state


def check_listed(checks, directory):
    """What PyTorch wrote, found by the probe; with .metadata as every protocol has it."""
    state = saved_state()
    dcp.save(dict(state), storage_writer=dcp.FileSystemWriter(directory, single_file_per_rank=False, thread_count=2),
             no_dist=True)
    (directory / "metadata.json").write_text(METADATA_JSON)
    metadata = dcp.FileSystemReader(directory).read_metadata()
    check_listing(checks, directory, state, metadata, "as saved")
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        (directory / ".metadata").write_bytes(pickle.dumps(metadata, protocol=protocol))
        check_listing(checks, directory, state, metadata, f"protocol {protocol}")


def check_listing(checks, directory, state, metadata, what):
    done = run(tool("torch_dist_probe"), "list", directory)
    if not checks.equal(done.returncode, 0, f"{what}: exit code of torch_dist_probe list, which says {done.stderr}"):
        return
    found = json.loads(done.stdout)
    tensors = {fqn: value for fqn, value in flattened(state).items() if isinstance(value, torch.Tensor)}
    checks.equal(sorted(tensor["fqn"] for tensor in found["tensors"]), sorted(tensors), f"{what}: names found")
    for listed in found["tensors"]:
        check_listed_tensor(checks, directory, listed, tensors[listed["fqn"]])
    wanted = {index.fqn: (place.relative_path, place.offset, place.length)
              for index, place in metadata.storage_data.items() if index.offset is None}
    checks.equal({b["fqn"]: (b["file"], b["offset"], b["bytes"]) for b in found["bytes"]}, wanted, f"{what}: bytes entries")
    checks.expect(wanted, "the state has no object")


def check_listed_tensor(checks, directory, listed, wanted):
    fqn = listed["fqn"]
    whole = getattr(wanted, "whole", wanted)
    checks.equal((listed["dtype"], listed["shape"]), (OUR_NAMES[whole.dtype], list(whole.shape)), f"type and shape of {fqn}")
    chunks = [(list(c.offsets), list(c.sizes)) for c in wanted.chunks] if isinstance(wanted, Chunked) else \
        [([0] * whole.dim(), list(whole.shape))]
    checks.equal(sorted((chunk["offsets"], chunk["sizes"]) for chunk in listed["chunks"]), sorted(chunks), f"chunks of {fqn}")
    for chunk in listed["chunks"]:
        part = part_of(whole, chunk["offsets"], chunk["sizes"])
        placed = placed_tensor(directory, chunk, part)
        checks.equal(raw(placed), raw(part), f"bytes of {fqn} at {chunk['offsets']}")
        checks.equal(chunk["contiguous"], placed.is_contiguous(), f"contiguity of {fqn} at {chunk['offsets']}")


def placed_tensor(directory, chunk, like):
    """The tensor at the place in the file that the probe names."""
    if like.numel() == 0:
        return like
    last = sum((size - 1) * stride for size, stride in zip(like.shape, chunk["strides"]))
    begin = chunk["file_offset"]
    data = (directory / chunk["file"]).read_bytes()[begin:begin + (last + 1) * like.dtype.itemsize]
    return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(like.dtype).as_strided(like.shape, chunk["strides"])


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        scratch = Path(scratch)
        check_written(checks, scratch / "written", scratch)
        check_listed(checks, scratch / "saved")
    checks.finish()


main()
