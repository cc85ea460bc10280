"""Pickles by their opcodes, for files of torch.save that torch would not write."""

import struct
import zipfile

# A tensor of one number, which is storage 0.
TENSOR = (b"ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX\x01\0\0\x000X\x03\0\0\0cpuK\x01tQK\x00))\x89"
          b"ccollections\nOrderedDict\n)RtR")


def text(value):
    value = value.encode()
    return b"X" + struct.pack("<I", len(value)) + value


def number(value):
    return b"J" + struct.pack("<i", value)


def torch_file(path, pickle):
    with zipfile.ZipFile(path, "w") as out:
        out.writestr("a/data.pkl", pickle)
        out.writestr("a/data/0", b"\0" * 4)
        out.writestr("a/version", "3\n")
