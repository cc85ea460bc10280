"""Checkpoint files with nothing but the standard library: writes safetensors, reads safetensors and PyTorch's zips.

An implementation of its own, so that a mistake of the C++ code is not repeated here.
"""

import argparse
import collections
import hashlib
import io
import json
import pickle
import re
import struct
import sys
import types
import zipfile
import zlib
from array import array
from dataclasses import dataclass
from pathlib import Path

ITEM_BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "BF16": 2, "F16": 2, "I16": 2, "U8": 1, "I8": 1, "BOOL": 1}
STORAGE_TYPES = {"DoubleStorage": "F64", "LongStorage": "I64", "FloatStorage": "F32", "IntStorage": "I32",
                 "BFloat16Storage": "BF16", "HalfStorage": "F16", "ShortStorage": "I16", "ByteStorage": "U8",
                 "CharStorage": "I8", "BoolStorage": "BOOL"}

# Names of torch that a pickle refers to.
TORCH_DTYPES = {name: type(name, (), {"__module__": "torch"}) for name in ("bfloat16", "float32")}


@dataclass
class Tensor:
    dtype: str
    shape: tuple
    data: bytes

    def short_hash(self):
        return hashlib.sha256(self.data).hexdigest()[:16]


def element_count(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def crc_filled(name, shape):
    """A bfloat16 tensor whose bits follow from its name: bits[i] = (crc32(name) + 40503 * i) mod 65536."""
    start = zlib.crc32(name.encode())
    bits = array("H", ((start + 40503 * i) & 0xFFFF for i in range(element_count(shape))))
    if array("H", [1]).tobytes() != b"\1\0":
        bits.byteswap()
    return Tensor("BF16", tuple(shape), bits.tobytes())


def write_safetensors(path, tensors):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        header[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + len(tensor.data)]}
        offset += len(tensor.data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for tensor in tensors.values():
            out.write(tensor.data)


def read_safetensors(path):
    content = Path(path).read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = Tensor(entry["dtype"], tuple(entry["shape"]), content[8 + length + begin:8 + length + end])
    return tensors


def read_hf_directory(directory):
    """All tensors of a Hugging Face directory with safetensors files; the index, where there is one, must agree."""
    directory = Path(directory)
    tensors, place = {}, {}
    for path in sorted(directory.glob("*.safetensors")):
        for name, tensor in read_safetensors(path).items():
            if name in tensors:
                raise ValueError(f"{name} is in {place[name]} and in {path.name}")
            tensors[name], place[name] = tensor, path.name
    index = directory / "model.safetensors.index.json"
    if index.exists():
        stated = json.loads(index.read_text())
        if stated["weight_map"] != place:
            raise ValueError("model.safetensors.index.json does not say where the tensors are")
        total = sum(len(tensor.data) for tensor in tensors.values())
        if stated["metadata"]["total_size"] != total:
            raise ValueError(f"total_size is {stated['metadata']['total_size']}, the tensors have {total} bytes")
    elif len(set(place.values())) > 1:
        raise ValueError("several files and no index")
    return tensors


@dataclass(frozen=True)
class _Storage:
    dtype: str


@dataclass(frozen=True)
class _Record:
    dtype: str
    data: bytes


class _Unpickler(pickle.Unpickler):
    """Knows the few names that a checkpoint needs and refuses all others."""

    def __init__(self, file, records):
        super().__init__(file)
        self.records = records

    def find_class(self, module, name):
        if module == "torch._utils" and name == "_rebuild_tensor_v2":
            return _rebuild_tensor
        if module == "torch" and name in STORAGE_TYPES:
            return _Storage(STORAGE_TYPES[name])
        if module == "torch" and re.fullmatch(r"(bfloat|float|int|uint)\d+", name):
            return f"torch.{name}"
        if (module, name) == ("collections", "OrderedDict"):
            return collections.OrderedDict
        if (module, name) == ("torch", "Size"):
            return tuple
        if (module, name) in (("argparse", "Namespace"), ("deepspeed.utils.tensor_fragment", "fragment_address")):
            return argparse.Namespace
        raise pickle.UnpicklingError(f"the checkpoint names {module}.{name}")

    def persistent_load(self, pid):
        kind, storage, key, location, count = pid
        if kind != "storage" or not isinstance(storage, _Storage):
            raise pickle.UnpicklingError(f"not a storage: {pid!r}")
        if location != "cpu":
            raise pickle.UnpicklingError(f"storage {key} is on {location}")
        data = self.records(key)
        if len(data) != count * ITEM_BYTES[storage.dtype]:
            raise pickle.UnpicklingError(f"storage {key} has {len(data)} bytes for {count} elements of {storage.dtype}")
        return _Record(storage.dtype, data)


def _rebuild_tensor(record, offset, shape, stride, requires_grad, hooks, metadata=None):
    contiguous, step = [], 1
    for extent in reversed(shape):
        contiguous.insert(0, step)
        step *= extent
    if tuple(stride) != tuple(contiguous):
        raise pickle.UnpicklingError(f"a tensor of shape {shape} has the strides {stride}")
    item = ITEM_BYTES[record.dtype]
    begin, end = offset * item, (offset + element_count(shape)) * item
    if end > len(record.data):
        raise pickle.UnpicklingError(f"a tensor of shape {shape} leaves its storage")
    return Tensor(record.dtype, tuple(shape), record.data[begin:end])


def read_torch_file(path):
    """What torch.save wrote: the unpickled value, tensors as Tensor. Checks the zip on the way."""
    with zipfile.ZipFile(path) as archive:
        broken = archive.testzip()
        if broken is not None:
            raise ValueError(f"{path}: {broken} has a wrong checksum")
        names = archive.namelist()
        prefix = names[0].split("/", 1)[0]
        for member in archive.infolist():
            if member.compress_type != zipfile.ZIP_STORED:
                raise ValueError(f"{path}: {member.filename} is compressed")
            if not member.filename.startswith(prefix + "/"):
                raise ValueError(f"{path}: {member.filename} is not below {prefix}/")
        for record in ("data.pkl", "version"):
            if f"{prefix}/{record}" not in names:
                raise ValueError(f"{path}: has no {record}")
        with archive.open(f"{prefix}/data.pkl") as file:
            return _Unpickler(file, lambda key: archive.read(f"{prefix}/data/{key}")).load()


class _Pickler(pickle.Pickler):
    """Names classes of PyTorch, which is not there: modules of these names hold stand-ins for as long as it takes."""

    def __init__(self, file, names):
        super().__init__(file, protocol=2)
        self.names, self.payloads = names, []

    def persistent_id(self, value):
        if not isinstance(value, _Record):
            return None
        self.payloads.append(value.data)
        count = len(value.data) // ITEM_BYTES[value.dtype]
        return ("storage", self.names[value.dtype], str(len(self.payloads) - 1), "cpu", count)

    def reducer_override(self, value):
        if not isinstance(value, Tensor):
            return NotImplemented
        strides = [element_count(value.shape[axis + 1:]) for axis in range(len(value.shape))]
        arguments = (_Record(value.dtype, value.data), 0, tuple(value.shape), tuple(strides), False, collections.OrderedDict())
        return (self.names["rebuild"], arguments)


def write_torch_file(path, value):
    """As torch.save writes it, without checks of what there is."""
    modules = {"torch": types.ModuleType("torch"), "torch._utils": types.ModuleType("torch._utils")}
    names = {dtype: type(storage, (), {"__module__": "torch"}) for storage, dtype in STORAGE_TYPES.items()}
    for known in (*names.values(), *TORCH_DTYPES.values()):
        setattr(modules["torch"], known.__name__, known)
    names["rebuild"] = modules["torch._utils"]._rebuild_tensor_v2 = type("_rebuild_tensor_v2", (), {"__module__": "torch._utils"})
    known = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        content = io.BytesIO()
        pickler = _Pickler(content, names)
        pickler.dump(value)
    finally:
        for name, module in known.items():
            sys.modules.pop(name)
            if module is not None:
                sys.modules[name] = module
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", content.getvalue())
        archive.writestr("archive/version", "3\n")
        for number, payload in enumerate(pickler.payloads):
            archive.writestr(f"archive/data/{number}", payload)


def flat_vector(count, start):
    """Its values follow from their places; filled up with zeros to an even number, as ZeRO fills it for one rank."""
    values = array("f", (start + i for i in range(count))) + array("f", [0] * (count % 2))
    return Tensor("F32", (len(values),), values.tobytes())


def write_zero_run(directory, *groups, steps=(3,)):
    """What DeepSpeed with ZeRO 1 leaves of one rank. `groups`: shapes by name; `steps`: of each group."""
    folder = Path(directory) / f"global_step{steps[0]}"
    folder.mkdir(parents=True)
    (Path(directory) / "latest").write_text(folder.name)
    counts = [sum(map(element_count, shapes.values())) for shapes in groups]
    states = {i: {"step": step, "exp_avg": flat_vector(count, 1), "exp_avg_sq": flat_vector(count, 2)}
              for i, (count, step) in enumerate(zip(counts, steps, strict=True))}
    settings = [{"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0.1 * i, "params": [i]} for i in range(len(groups))]
    write_torch_file(folder / "mp_rank_00_model_states.pt", {"module": {}, "param_shapes": list(groups), "shared_params": {}})
    write_torch_file(folder / "zero_pp_rank_0_mp_rank_00_optim_states.pt", {"optimizer_state_dict": {
        "zero_stage": 1, "single_partition_of_fp32_groups": [flat_vector(count, 0) for count in counts],
        "base_optimizer_state": {"state": states, "param_groups": settings}}})


def payload_offsets(path):
    """Where the content of each member of a zip begins in the file, by name."""
    offsets = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for member in archive.infolist():
            file.seek(member.header_offset)
            header = file.read(30)
            name_length, extra_length = struct.unpack("<HH", header[26:30])
            offsets[member.filename] = member.header_offset + 30 + name_length + extra_length
    return offsets


def megatron_directory(root):
    """(iteration directory, what the tracker file says) of a Megatron checkpoint."""
    root = Path(root)
    tracker = (root / "latest_checkpointed_iteration.txt").read_text().strip()
    directory = root / ("release" if tracker == "release" else f"iter_{int(tracker):07d}")
    return directory, tracker


def megatron_files(root):
    """The model_optim_rng.pt files of a Megatron checkpoint by the name of their directory (mp_rank_00_001)."""
    directory, _ = megatron_directory(root)
    return {path.parent.name: path for path in sorted(directory.glob("mp_rank_*/model_optim_rng.pt"))}
