"""Makes rules/packages/plain.json of wheels: packages of Python that bring no device code.

    plain_packages.py FOLDER... > rules/packages/plain.json; tests/lint/json_layout.py --fix

Of each package in the folders the newest version counts. It is listed when no source of Python in its wheels names a device or a library for
one, nothing that is compiled calls one, and it needs no framework for devices, such as PyTorch, directly or through others. A module that a
package with code for devices brings as well is not listed, nor is a package that a rule has more to say of.
"""

import json
import re
import sys
import zipfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ABOUT = ("Packages of Python without device code, as far as their wheels of the version named show: no source of Python or Cython in them names CUDA, cupy, NCCL, "
         "ROCm or NVIDIA, nothing compiled calls the functions by which these are driven (cudaMalloc, cuInit, ncclAllReduce and their like), and none of these packages needs a "
         "framework for devices, such as PyTorch, directly or through others. What is compiled may name a device all the same. A package of which a rule has more to say "
         "is not among them.")
WORDS = (b"cuda", b"cupy", b"nccl", b"rocm", b"nvidia", b"triton")
NAMES_DEVICE = re.compile(rb"(?<![a-z])(?:cuda|cupy|nccl|rocm|nvidia)|libtriton|import triton")
DEVICE_PACKAGES = re.compile(r"(torch.*|tensorflow.*|jax.*|cupy.*|nvidia-.*|triton.*|xformers|numba|onnxruntime.*|paddlepaddle.*|keras|mxnet.*|.*cuda.*)$")
CALLS = (b"cudaMalloc", b"cudaGetDevice", b"cuInit", b"cuModuleLoad", b"hipMalloc", b"ncclAllReduce")
COMPILED = (".so", ".pyd", ".dylib", ".dll")


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def order(version):
    return [int(part) if part.isdigit() else -1 for part in re.findall(r"\d+|[a-z]+", version)]


def newest(folders):
    """Wheels of the newest version, by package."""
    found = {}
    for folder in folders:
        for path in Path(folder).rglob("*.whl"):
            name, version = path.name.split("-")[:2]
            found.setdefault(normal(name), {}).setdefault(version, []).append(path)
    for name, versions in sorted(found.items()):
        version = max(versions, key=order)
        yield name, version, versions[version]


def needs(wheel):
    metadata = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    for line in wheel.read(metadata).decode("utf-8", "replace").splitlines():
        if line.startswith("Requires-Dist:") and "extra" not in line.partition(";")[2]:
            yield normal(re.match(r"[A-Za-z0-9._-]+", line.split(":", 1)[1].strip()).group())


def has_device_code(wheel):
    for name in wheel.namelist():
        if name.endswith((".py", ".pyx", ".cu")):
            source = wheel.read(name).lower()
            if any(word in source for word in WORDS) and NAMES_DEVICE.search(source):
                return True
        if (name.endswith(COMPILED) or ".so." in name) and any(call in wheel.read(name) for call in CALLS):
            return True
    return False


def shares(init):
    """Whether the package that this file makes is one that others add to."""
    return b"extend_path" in init or b"declare_namespace" in init


def modules(wheel):
    """What can be imported, without what is private; of a namespace that packages share, the parts."""
    names = [name for name in wheel.namelist() if name.endswith((".py", *COMPILED)) and ".dist-info/" not in name and ".data/" not in name]
    inits = {name for name in names if name.rpartition("/")[2].split(".")[0] == "__init__"}
    shared = {name for name in inits if shares(wheel.read(name))}
    packages = {name.rpartition("/")[0] for name in inits - shared}
    out = set()
    for name in set(names) - shared:
        parts = name.split("/")
        parts[-1] = parts[-1].split(".")[0]
        length = 1
        while length < len(parts) and "/".join(parts[:length]) not in packages and length < 3:
            length += 1
        module = parts[:length] if parts[length - 1] != "__init__" else parts[:length - 1]
        if module and all(part.isidentifier() and not part.startswith("_") for part in module) and module[0] not in ("tests", "test", "docs", "examples"):
            out.add(".".join(module))
    return sorted(out)


def with_users(needed):
    """The packages that are one for devices by their name, or need one, directly or through others."""
    found = {name for name in needed if DEVICE_PACKAGES.match(name)}
    while more := {name for name in needed if name not in found and any(need in found or DEVICE_PACKAGES.match(need) for need in needed[name])}:
        found |= more
    return found


def told_packages():
    """The packages that a rule has something to say of."""
    tables = json.loads((ROOT / "rules/third_party/packages.json").read_text())["tables"]
    return {normal(row["package"]) for table in tables for row in table["rows"] if not row.get("quiet")}


def main():
    found, needed, device = {}, {}, set()
    for name, version, paths in newest(sys.argv[1:]):
        wheels = [zipfile.ZipFile(path) for path in paths]
        found[name], needed[name] = (version, modules(wheels[0])), list(needs(wheels[0]))
        if DEVICE_PACKAGES.match(name) or any(map(has_device_code, wheels)):
            device.add(name)
    device |= with_users(needed)
    judged = told_packages()
    taken = {module for name in device for module in found[name][1]}
    rows = []
    for name, (version, brought) in found.items():
        if name not in device | judged and (own := [module for module in brought if module not in taken]):
            rows.append({"package": name, "version": version, "modules": own})
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    head = {"schema": 1, "about": ABOUT,
            "source": f"PyPI: wheels, read on {date.today()} with tests/facts/plain_packages.py"}
    print(json.dumps(head, indent=2)[:-2] + ',\n  "packages": [\n' + lines + "\n  ]\n}")


if __name__ == "__main__":
    main()
