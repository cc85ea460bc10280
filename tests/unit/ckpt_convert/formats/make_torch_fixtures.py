"""Writes torch_fixtures.h: files saved by PyTorch, and what is in them. Run with torch 2.13, without arguments.

The legacy file differs from run to run: its storage keys are addresses.
"""

import argparse
import base64
import collections
import io
import os
import textwrap

import torch

base = torch.arange(12, dtype=torch.bfloat16)
weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
OBJECT = collections.OrderedDict(
    args=argparse.Namespace(num_layers=2, dtype=torch.bfloat16, extra=b"\xff\x00"),
    transposed=base.reshape(3, 4).t(),
    slice=base[6:10].reshape(2, 2),
    scalar=torch.tensor(3.5, dtype=torch.float64),
    empty=torch.zeros(0, 5, dtype=torch.float16),
    param=weight,
    tied=weight,
    f8=torch.tensor([1.0, 2.0]).to(torch.float8_e4m3fn),
    i64=torch.tensor([-1]),
    flags=torch.tensor([True, False]),
    expanded=torch.tensor([7], dtype=torch.uint8).expand(3),
)
VARIANTS = {
    "kZipProtocol2": {},
    "kZipProtocol4": {"pickle_protocol": 4},
    "kLegacy": {"_use_new_zipfile_serialization": False},
}


def hex_of(tensor):
    flat = tensor.detach().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes().hex() if flat.numel() else ""


def main():
    version = torch.__version__.split("+")[0]
    out = ["// Files saved by PyTorch %s and what is in them; written by make_torch_fixtures.py." % version,
           "// clang-format off", "#pragma once", "", "namespace test {", "", "struct TorchFixtureTensor {",
           "    const char* name;", "    const char* bytes;  // of the tensor made contiguous, in hexadecimal", "};", "",
           "inline constexpr TorchFixtureTensor kTorchFixtureTensors[] = {"]
    out += ['    {"%s", "%s"},' % (n, hex_of(t)) for n, t in OBJECT.items() if isinstance(t, torch.Tensor)]
    out += ["};", ""]
    for name, options in VARIANTS.items():
        stream = io.BytesIO()
        torch.save(OBJECT, stream, **options)
        lines = textwrap.wrap(base64.b64encode(stream.getvalue()).decode(), 108)
        out += ["inline constexpr const char* %sBase64 =" % name] + ['    "%s"' % line for line in lines]
        out[-1] += ";"
        out.append("")
    out += ["}  // namespace test", ""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_fixtures.h")
    with open(path, "w") as file:
        file.write("\n".join(out))


main()
