"""Packages that nothing is known of are a list of their own in the report, on the page and in the summary."""

import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

# What training projects ask for every day and what has no code for devices.
EVERYDAY = """aiohttp attrs boto3 certifi chardet click cloudpickle colorama coverage decorator dill docstring-parser fastapi filelock fire fsspec gitpython h5py
httpx huggingface-hub idna ipython jinja2 joblib jsonschema loguru lxml markdown matplotlib more-itertools msgpack multiprocess networkx nltk numpy
omegaconf openai openpyxl orjson packaging pandas pillow platformdirs prettytable protobuf psutil pyarrow pydantic pytest python-dateutil pyyaml regex requests rich
scikit-learn scipy sentencepiece setuptools six tabulate tenacity termcolor tiktoken tomli tqdm typer typing-extensions urllib3 uvicorn wheel yarl""".split()
# What needs PyTorch, or has code for devices, whatever else it does.
NOT_PLAIN = set("""accelerate bitsandbytes catboost cupy-cuda12x deepspeed dgl fastai jax kornia lightning monai numba onnxruntime peft pytorch-lightning
sentence-transformers tensorflow timm torch torchmetrics torchvision transformers triton trl ultralytics vllm xformers xgboost""".split())
PROJECT = {
    "train.py": "import os, sys, tomllib, __future__\nimport torch\nimport click\nimport somelib_ops\nimport google.auth.transport\nimport google.unheard\nfrom . import util\n"
                "import util\nimport pkg.data\nimport mmcv\n\n\ndef f():\n    from some.deep import thing\n",
    "util.py": "try:\n    import somelib_ops.fast\nexcept ImportError:\n    pass\nfrom other_things import x\n",
    "pkg/__init__.py": "", "pkg/data.py": "import util\n",
    "nb.ipynb": json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": ["import in_notebook\n"]}],
                            "metadata": {}, "nbformat": 4, "nbformat_minor": 5}),
    "requirements.txt": "torch>=2.1\nclick\nOther.Things==1.0  # the module of util.py\nonly-asked; python_version > '3'\nfastertransformer\n-r more.txt\n",
    "pyproject.toml": '[project]\nname = "pkg"\ndependencies = ["asked_in_toml>=2", "pkg[extra]"]\n',
    "environment.yml": "dependencies:\n  - python=3.11\n  - asked_by_conda=1.0\n",
}
WANTED = [
    ("google.unheard", True, ["train.py"]), ("in_notebook", True, ["nb.ipynb"]), ("Other.Things", True, ["util.py", "requirements.txt:3"]),
    ("some", True, ["train.py"]), ("somelib_ops", True, ["train.py", "util.py"]),
    ("asked_by_conda", False, ["environment.yml:3"]), ("asked_in_toml", False, ["pyproject.toml:3"]), ("only-asked", False, ["requirements.txt:4"]),
]

# What is said of projects, each by what would be false: name -> files, and the packages listed, with a * where code imports them.
BY_LAYOUT = {"pkg/__init__.py": "", "python/deep/__init__.py": "", "python/deep/er/__init__.py": "", "python/deep/er/inner.py": "", "tools/loose.py": ""}
EXPORTED = """name: e
channels: [conda-forge, nvidia]
dependencies:
  - _libgcc_mutex=0.1=conda_forge
  - krb5=1.20.1=h143b758_1
  - somelib=1.0=py310h1234_0
  - pytorch=2.1.0=py3.10_cuda11.8_cudnn8.7.0_0
  - openssl
  - nvidia::otherlib=2
  - pip:
      - third_lib==1.0
      - -r more.txt
"""
SIBLINGS = {
    "modules with other names than their packages": (
        {"a.py": "import yaml, cv2, PIL.Image, sklearn.svm, skimage, bs4, dateutil, attr, git, dotenv, google.protobuf.message, mpl_toolkits.mplot3d\n",
         "requirements.txt": "PyYAML\nopencv-python\nopencv_python_headless\nPillow\nscikit_learn\nscikit-image\nbeautifulsoup4\npython-dateutil\n"
                             "GitPython\npython-dotenv\nprotobuf\n"}, []),
    "packages that need torch, or are compiled for CUDA": (
        {"a.py": "import ultralytics_ops, torchio, my_cuda_ext  # the last one is a finding\n", "requirements.txt": "torch\ncatboost\n"}, ["torchio*", "ultralytics_ops*", "catboost"]),
    "namespaces": ({"a.py": "import google\nfrom google import protobuf, nothing\nimport google.cloud\nfrom google.cloud import unheard_of\nfrom google.auth import x\n"},
                   ["google.cloud.unheard_of*", "google.nothing*"]),
    "relative imports": (
        {"a.py": "from . import b\nfrom .c import d\nfrom .. import e\nfrom ..f import g\n",
         "pkg/__init__.py": "from .missing import x\nfrom . import _C\nfrom ... import far\nfrom ....far.away import x\n"}, []),
    "modules of the project with the names of packages": (
        {"yaml.py": "", "somelib/__init__.py": "", "src/mine/a.py": "", "a.py": "import yaml, somelib.gone, mine.b, pkg._C, deep.er.inner, deep.new, loose\nimport inner, er\n", **BY_LAYOUT,
         "requirements.txt": "Mine\ndeep\n"}, ["er*", "inner*"]),
    "a folder of the project that is a package of its own": ({"sub/thing/__init__.py": "", "sub/tests/t.py": "import thing\n", "sub/setup.py": "import setuptools\n"}, []),
    "conditional imports": (
        {"a.py": "import sys\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import only_types\nif sys.version_info < (3, 11):\n    import conditional\n"
                 "try:\n    import fast_json as json\nexcept ImportError:\n    import json\nwith open('x'):\n    import within\nclass A:\n    import in_class\n"},
        ["conditional*", "fast_json*", "in_class*", "within*"]),
    "notebooks": (
        {"n.ipynb": json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source} for source in
                                          (["!pip install shell_lib\n", "%matplotlib inline\n", "import one_lib\n"], ["%%bash\nimport not_python\n"], ["import two_lib.x as t, click"])] +
                                         [{"cell_type": "markdown", "metadata": {}, "source": ["import prose"]}],
                                "metadata": {}, "nbformat": 4, "nbformat_minor": 5})}, ["one_lib*", "two_lib*", "shell_lib"]),
    "text that is no import": ({"a.py": "'import prose'\n# import comment\nimport_module = 'import x'\n", "b.pyi": "import click\n", "c.txt": "import nothing\n"}, []),
    "Python of all versions": (
        {"a.py": "import imp, distutils.core, asynchat, symbol, parser, formatter, binhex, smtpd, _thread, __main__, test.support\nimport annotationlib, compression.zstd, concurrent.interpreters\n"
                 "try:\n    import cPickle, Queue, ConfigParser, urllib2, StringIO, __builtin__, Tkinter\nexcept ImportError:\n    pass\n"}, []),
    "forms of requirements": (
        {"requirements/dev.txt": "# comment\n\n-r ../requirements.txt\n--index-url https://host/simple\n-e .\n-e ./libs/local_dir\n./libs/other\ngit+https://host/owner/from-git.git@v1#egg=from_git\n"
                                 "by_url @ https://host/x.whl\nwith_extra[a,b]>=1 ; python_version < '3.9'\n    indented == 1\nhashed==1.0 \\\n    --hash=sha256:00\n${VARIABLE}\nclick\n",
         "requirements.txt": "Twice\n", "requirements-gpu.txt": "twice==2\n"},
        ["by_url", "from_git", "hashed", "indented", "Twice", "with_extra"]),
    "pyproject.toml": (
        {"pyproject.toml": '[build-system]\nrequires = ["setuptools>=61", "wheel", "Cython", "hatchling", "build_lib"]\n[project]\nname = "My.Tool"\ndynamic = ["version"]\n'
                           'dependencies = ["dep_lib>=1"]\n[project.optional-dependencies]\nall = ["my-tool[dev]", "opt_lib"]\n[project.scripts]\nrun = "x:y"\n'
                           '[dependency-groups]\ntest = ["group_lib", {include-group = "other"}]\nother = []\n[tool.setuptools.dynamic]\ndependencies = {file = ["requirements.txt"]}\n'
                           '[tool.pdm.dev-dependencies]\nlint = ["pdm_lib", "pytest"]\n[tool.poetry.dependencies]\npython = "^3.9"\npoetry_lib = {version = "^1", optional = true}\n'
                           '[tool.ruff]\nselect = ["E"]\n[tool.mypy]\nplugins = ["numpy.typing.mypy_plugin"]\n'},
        ["build_lib", "dep_lib", "group_lib", "opt_lib", "pdm_lib", "poetry_lib"]),
    "setup.cfg and Pipfile": (
        {"setup.cfg": "[metadata]\nname = x\n[options]\ninstall_requires =\n    cfg_lib\n    click\n[options.extras_require]\nall = extra_lib\n",
         "Pipfile": '[[source]]\nurl = "https://host"\nname = "index"\n[packages]\npip_lib = "*"\n[requires]\npython_version = "3.9"\n'}, ["cfg_lib", "extra_lib", "pip_lib"]),
    "environments of conda": ({"environment.yml": EXPORTED}, ["otherlib", "somelib", "third_lib"]),
    "what is installed by commands, and other files of YAML": (
        {".github/workflows/ci.yml": "jobs:\n  t:\n    steps:\n      - run: sudo apt-get install -y libgl1 && pip install ci_lib\n", "Dockerfile": "FROM x\nRUN apt-get install -y libsm6\n",
         "conf/model.yaml": "model:\n  dependencies: [a_name]\n  pip: [other_name]\nname: x\n"}, []),
    "files that are left out": ({"vendored/requirements.txt": "left_out\n", "vendored/a.py": "import left_out_too\n", ".gitignore": "vendored/\n", "a.py": "import click\n"}, []),
    "modules that a build makes": (
        {"a.py": "import fast_ops, nb_ops, lib_ops.x, raw_ops, cmake_ops, cy_ops, bin_ops, win_ops, setup_ops._C, setup_cuda, by_name, spread_pb2, spread_pb2_grpc\nimport other_pb2, in_ops\n",
         "src/a.cpp": "PYBIND11_MODULE( fast_ops , m) {}\nNB_MODULE(nb_ops, m) {}\nTORCH_LIBRARY\n(lib_ops, m) {}\nPyMODINIT_FUNC PyInit_raw_ops(void) {}\nMY_PYBIND11_MODULE(in_ops, m) {}\n",
         "CMakeLists.txt": "pybind11_add_module (cmake_ops a.cpp)\n", "lib/cy_ops.pyx": "", "bin_ops.cpython-311-x86_64-linux-gnu.so": "", "win_ops.pyd": "", "protos/spread.proto": "",
         "setup.py": "from setuptools import setup\nfrom torch.utils import cpp_extension\nNAME = 'by_name'\nsetup(ext_modules=[cpp_extension.CppExtension('setup_ops._C', ['a.cpp']),\n"
                     "                   CUDAExtension(name='setup_cuda', sources=[]), Extension(NAME, [])])\n"}, ["in_ops*", "other_pb2*"]),
    "vendored modules": ({"vendor/thing/__init__.py": "", "vendor/thing/deep.py": "", "third/_vendor/single.py": "", "a.py": "import thing.deep, single, deep\n"}, ["deep*"]),
    "own distributions": (
        {"setup.py": "from setuptools import setup\nsetup(name='My-Tool', packages=['made_pkg'], py_modules=['made_module'])\n", "setup.cfg": "[metadata]\nname = cfg-tool\n",
         "sub/pyproject.toml": "[project]\nname = 'toml.tool'\n[tool.maturin]\nmodule-name = 'rust_pkg._native'\n", "a.py": "import my_tool, cfg_tool, toml_tool, made_pkg.x, made_module, rust_pkg\n",
         "requirements.txt": "my_tool[all]\nCfg_Tool\ntoml-tool\n"}, []),
    "setup.py": (
        {"setup.py": "import os\nfrom setuptools import setup, find_packages\nBASE = ['base_lib>=1', 'click']\nBASE += ['added_lib']\nBASE.append('appended_lib')\nextras = {'gpu': ['gpu_lib']}\n"
                     "extras['all'] = BASE + ['all_lib']\nsetup(version='not_one', packages=find_packages(exclude=['nor_this']), classifiers=['neither'],\n"
                     "      install_requires=BASE, extras_require=extras, tests_require=['test_lib'], setup_requires=read('requires.txt'))\n"},
        ["added_lib", "all_lib", "appended_lib", "base_lib", "gpu_lib", "test_lib"]),
    "lists of other names": (
        {"requirements.txt": "-r deps/more.txt\n-c pins.txt\n--requirement=joined.txt\n-rshort.txt\n-r missing.txt\n-r ../outside.txt\n", "deps/more.txt": "more_lib\n-r deepest.txt\n",
         "deps/deepest.txt": "deep_lib\n-r more.txt\n", "pins.txt": "pinned_lib==1\n", "joined.txt": "joined_lib\n", "short.txt": "short_lib\n", "unread.txt": "unread_lib\n",
         "docker/Dockerfile": "FROM x\nRUN pip install --no-cache-dir \\\n    -r image.txt; rm -r unread.txt\n", "docker/image.txt": "image_lib\n"},
        ["deep_lib", "image_lib", "joined_lib", "more_lib", "pinned_lib", "short_lib"]),
    "imports by a text": (
        {"a.py": "import importlib, util\nfrom importlib import import_module\nimportlib.import_module('by_text.sub')\n__import__('by_dunder')\nm = import_module(name='by_keyword')\nimport_module('util')\n"
                 "import_module('.relative', 'pkg')\nimport_module(name)\nimport_module(f'some_{name}')\nreload_module('nothing')\n", "util.py": ""}, ["by_dunder*", "by_keyword*", "by_text*"]),
    "what commands install for Python": (
        {"install.sh": "pip install sh_lib 'quoted_lib>=2' --timeout 100 --index-url https://host -q ./local .\npip3 install -U git+https://host/o/git_lib.git\npython -m pip install mod_lib\n"
                       "pip uninstall gone_lib\nsudo apt-get install -y libgl1\ngit clone https://host/o/cloned\nconda install conda_lib\n",
         "Dockerfile": "FROM x\nRUN apt-get install -y libsm6 && \\\n    pip install image_lib\n", "Makefile": "setup:\n\tpip install make_lib\n"},
        ["git_lib", "image_lib", "make_lib", "mod_lib", "quoted_lib", "sh_lib"]),
    "what Ascend installs": (
        {"a.py": "import acl, te, tbe, topi, hccl, auto_tune, schedule_search, asc_op_compile_base, torchair, msprobe.pytorch, mindie, mindie_llm, atb_llm, llm_datadist, torch_atb\n"
                 "import npu_bridge, npu_device, msmodelslim, mindspeed, torch_npu, pkg_resources\n"}, []),
    "code that cannot be parsed": ({"a.py": "import broken_lib\ndef (:\n"}, ["broken_lib*"]),
}


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def analysed(checks, work, *more, path="p"):
    done = run(tool("migrator"), "analyze", path, *more, "--no-config", "--report", "out", "--format", "json,markdown", cwd=work)
    checks.equal(done.returncode, 0, f"{work.name}: {done.stderr}")
    return done.stdout, json.loads((work / "out/report.json").read_text()), (work / "out/report.md").read_text()


def main():
    checks = Checks()
    with temporary_directory() as folder:
        work = Path(folder)
        write(work / "p", PROJECT)
        said, report, markdown = analysed(checks, work)
        rows = [(row["package"], row["imported"], row["places"]) for row in report["unknown_packages"]]
        checks.equal(rows, WANTED, "rows")
        checks.expect("Packages that no rule knows: look for CUDA in them\n    google.unheard: imported, train.py\n" in said, f"summary: {said}")
        checks.expect("Other.Things: imported, util.py and 1 more place\n" in said, f"summary: {said}")
        checks.expect("| `only-asked` | asked for | `requirements.txt:4` |\n" in markdown, markdown)
        said = analysed(checks, work, "--lang", "zh")[0]
        checks.expect("规则未收录的库" in said and "Packages that no rule" not in said, f"in Chinese: {said}")

        for number, (name, (files, wanted)) in enumerate(SIBLINGS.items()):
            write(work / f"{number}/p", files)
            rows = analysed(checks, work / str(number))[1]["unknown_packages"]
            checks.equal([row["package"] + "*" * row["imported"] for row in rows], wanted, name)

        # A package is judged once, whether it is imported or asked for.
        for package, module in (("rmm", "rmm"), ("tensorflow", "tensorflow"), ("tensorflow-cpu", "tensorflow"), ("faiss-cpu", "faiss")):
            write(work / package / "p", {"a.py": f"import {module}\n", "requirements.txt": f"{package}\n"})
            report = analysed(checks, work / package)[1]
            checks.equal(report["unknown_packages"], [], package)
            told = {finding["rule"] for file in report["files"] for finding in file["findings"] if finding["rule"].startswith("third_party.")}
            checks.equal(len(told), 1, f"{package}: {told}")

        # A part of a project imports what lies beside and above it.
        write(work / "whole/p", {
            ".git/HEAD": "", "util.py": "", "models/net.py": "", "src/made/__init__.py": "", "data/list.txt": "", "other/setup.py": "", "other/x.py": "", "fast.pyx": "",
            "setup.py": "from setuptools import setup\nsetup(name='whole', ext_modules=[CUDAExtension('far_ops', [])])\n",
            "tools/deep/run.py": "import util, models.net, made, fast, far_ops, whole, near, tools.deep.near\nimport data, other, elsewhere\n", "tools/deep/near.py": ""})
        for path in ("p/tools", "p/tools/deep", "p/tools/deep/run.py"):
            rows = analysed(checks, work / "whole", path=path)[1]["unknown_packages"]
            checks.equal([row["package"] for row in rows], ["data", "elsewhere", "other"], path)

        # Every place counts, and each once.
        write(work / "many/p", {f"m{i:02}.py": "import lib.b, lib.a\nimport lib\n" for i in range(30)} | {"requirements.txt": "lib\nlib\n"})
        said, report, markdown = analysed(checks, work / "many")
        checks.equal([row["places"] for row in report["unknown_packages"]],
                     [[f"m{i:02}.py" for i in range(30)] + ["requirements.txt:1", "requirements.txt:2"]], "places")
        checks.expect("lib: imported, m00.py and 31 more places\n" in said, f"summary: {said}")
        checks.expect("| `lib` | imported | `m00.py`, `m01.py`, `m02.py` and 29 more places |\n" in markdown, markdown)
        # Two projects in one run.
        write(work / "two", {"p/a.py": "import lib\n", "q/b.py": "import lib\n", "q/requirements.txt": "lib\n"})
        rows = analysed(checks, work / "two", "q")[1]["unknown_packages"]
        checks.equal([(row["package"], row["places"]) for row in rows], [("lib", ["p/a.py", "q/b.py", "q/requirements.txt:1"])], "two projects")

        # Nobody is told to look at what is known.
        write(work / "known/p", {"requirements.txt": "".join(f"{name}\n" for name in EVERYDAY), "a.py": "import torch\n"})
        said, report, markdown = analysed(checks, work / "known")
        checks.equal([row["package"] for row in report["unknown_packages"]], [], "everyday packages")
        checks.expect("no rule knows" not in said + markdown, said)
        rows = json.loads((ROOT / "rules/packages/plain.json").read_text())["packages"]
        checks.equal(sorted(NOT_PLAIN & {row["package"] for row in rows}), [], "packages with code for devices in the list")
        judged = {re.sub("[-_.]+", "-", row["package"]).lower() for table in json.loads((ROOT / "rules/third_party/packages.json").read_text())["tables"]
                  for row in table["rows"] if not row.get("quiet")}
        checks.equal(sorted(judged & {row["package"] for row in rows}), [], "packages of the list that a rule has more to say of")
        modules = sorted({module for row in rows for module in row["modules"]})
        write(work / "modules/p", {"a.py": "".join(f"import {module}\n" for module in modules)})
        checks.equal([row["package"] for row in analysed(checks, work / "modules")[1]["unknown_packages"]], [], "modules of the list")
        listed = json.loads((ROOT / "rules/packages/standard_library.json").read_text())["modules"]
        checks.equal(sorted(set(sys.stdlib_module_names) - set(listed)), [], "modules of this Python that are not listed")
    checks.finish()


if __name__ == "__main__":
    main()
