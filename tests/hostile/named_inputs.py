"""What the user names and is no project is an error that says what to do, in every command that takes a project; nothing that was named is
passed over in silence."""

import io
import os
import sys
import tarfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402

CODE = "import torch\nx = torch.zeros(1).cuda()\n"
COMMANDS = (["analyze"], ["analyze", "--fail-on", "error", "-q"], ["analyze", "--library"], ["migrate", "--check"], ["migrate", "--diff", "-q"], ["migrate", "--in-place", "--no-record"], ["migrate", "-o", "out"])


def archives():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("train.py", CODE)
    yield from {"p.zip": packed.getvalue(), "p.whl": packed.getvalue(), "download": packed.getvalue()}.items()
    for name, form in (("p.tar", "w"), ("p.tar.gz", "w:gz"), ("p.tgz", "w:gz"), ("p.tar.xz", "w:xz"), ("p.tar.bz2", "w:bz2")):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode=form) as archive:
            archive.addfile(tarfile.TarInfo("train.py"), io.BytesIO())
        yield name, packed.getvalue()
        yield name.replace(".", "_"), packed.getvalue()


WEIGHTS = {"m.gguf": b"GGUF" + bytes(20), "model": b"GGUF" + bytes(20), "m.safetensors": bytes(8) + b"{}", "m.pt": b"PK\x03\x04", "m.ckpt": b"\x80\x02", "m.bin": b"x", "m.onnx": b"\x08"}
OTHERS = {"notes.txt": b"x\n", "program": b"\x7fELF", "page.js": b"x\n", "empty": b""}
SETTINGS = {"ds.json": b"{}", "a.yaml": b"a: 1\n", "pyproject.toml": b"", "setup.cfg": b"", "a.ini": b""}
DIRECTORIES = {"js": {"a.js": "x\n", "b/README.md": "x\n"}, "git": {".git/hooks/x.py": CODE}, "bare": {".gitignore": "*\n"}, "hollow": {}}
PROJECTS = {"py": {"a.py": CODE}, "sh": {"a/b/run.sh": "x\n"}, "cu": {"k.cu": "x\n"}, "req": {"requirements.txt": "x\n"}, "nb": {"a.ipynb": "{}"}, "conf": {"c/ds.json": "{}"},
            "script": {"run": "#!/bin/bash\n"}, "hidden": {".gitignore": "*/\n", "src/a.py": CODE}, "both": {"a.js": "x\n", "b/c/d.py": CODE}}
FILES = {"vendor_pb2.py": CODE, "a.py": CODE, "run.command": "#!/bin/bash\nnvidia-smi\n", ".bashrc": "export CUDA_VISIBLE_DEVICES=0\n", "k.cuh": "x\n", "Dockerfile": "FROM a\n", "Makefile": "a:\n"}


def main():
    checks = Checks()
    with temporary_directory() as name:
        work = Path(name)
        wrong = {name: "unpack it first" for name, content in archives() if not (work / name).write_bytes(content) == -1}
        for files, says in ((WEIGHTS, "ckpt_convert inspect"), (OTHERS, "files of this kind are not analysed"), (SETTINGS, "without its project")):
            for file, content in files.items():
                (work / file).write_bytes(content)
                wrong[file] = says
        for folders in (DIRECTORIES, PROJECTS):
            for folder, files in folders.items():
                (work / folder).mkdir()
                for file, text in files.items():
                    (work / folder / file).parent.mkdir(parents=True, exist_ok=True)
                    (work / folder / file).write_text(text)
        wrong |= {"js": "no file here is of a kind", "git": "no file that can be analysed", "bare": "no file here is of a kind", "hollow": "no file that can be analysed"}
        os.mkfifo(work / "pipe.py")
        wrong |= {"pipe.py": "neither a file nor a directory", "/dev/null": "neither a file nor a directory", "https://github.com/a/b": "git clone", "git@github.com:a/b.git": "git clone",
                  "nowhere": "no such file or directory"}
        for number, (path, says) in enumerate(wrong.items()):
            # Every command for some, and every path with some.
            for command in COMMANDS if number % 6 == 0 else [COMMANDS[number % len(COMMANDS)]]:
                done = run(tool("migrator"), command[0], path, *command[1:], "--no-config", cwd=work)
                checks.expect(done.returncode == 4 and done.stderr.startswith(f"migrator: error: {path}: ") and says in done.stderr and done.stderr.count("\n") == 1,
                              f"{command} {path}: {done.returncode} {done.stdout}{done.stderr}")
                checks.expect(not (work / "out").exists(), f"{command} {path}: something was written")
        zh = run(tool("migrator"), "analyze", "p.zip", "--lang", "zh", cwd=work)
        checks.expect("解压" in zh.stderr, f"in Chinese: {zh.stderr}")
        done = run(tool("migrator"), "analyze", "py", "p.zip", "-q", cwd=work)
        checks.expect(done.returncode == 4 and "p.zip" in done.stderr, f"one of two: {done.returncode} {done.stderr}")
        for folder in PROJECTS:
            checks.equal(run(tool("migrator"), "analyze", folder, "--no-config", cwd=work).returncode, 0, folder)
        for file, text in FILES.items():
            (work / file).write_text(text)
            done = run(tool("migrator"), "analyze", file, "--no-config", cwd=work)
            checks.expect(done.returncode == 0 and "1 file, 1 analysed" in done.stdout, f"{file}: {done.returncode} {done.stdout}{done.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
