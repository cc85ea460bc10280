"""The wheel, installed into an environment of its own: both programs are on its PATH and do their main jobs, and the module
`migration_toolkit` gives their results as objects and their failures as exceptions (module_use.py)."""

import os
import re
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import IN_CI, ROOT, Checks, run, run_ok, skip, temporary_directory, tool  # noqa: E402
from main_jobs import check_main_jobs  # noqa: E402


def make_wheel(programs, output):
    """By the script of the release, without building the programs again."""
    key = output / "throw-away.key"
    output.mkdir(exist_ok=True)
    assert run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key).returncode == 0
    done = run(ROOT / "cmake/wheels.sh", "--programs", programs, "--output", output, "--key", key, cwd=ROOT)
    if done.returncode != 0 and not IN_CI:
        skip(f"cmake/wheels.sh could not make a wheel:\n{done.stderr}")
    assert done.returncode == 0, done.stdout + done.stderr
    wheel, = output.glob("*.whl")
    return wheel


def check_content(checks, wheel):
    machine = os.uname().machine
    tags = rf"py3-none-manylinux2014_{machine}\.manylinux_2_17_{machine}"
    checks.expect(re.fullmatch(rf"ascend_migration_toolkit-\d+\.\d+\.\d+-{tags}\.whl", wheel.name), f"the name {wheel.name}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    modules = {f"migration_toolkit/{path.name}" for path in (ROOT / "python/migration_toolkit").iterdir() if path.is_file()}
    outside = {name for name in names if ".dist-info/" not in name and not name.endswith(("/scripts/migrator", "/scripts/ckpt_convert"))}
    checks.equal(sorted(outside), sorted(modules), "files besides the programs")
    for text in ("LICENSE", "licenses.txt"):
        checks.expect(any(name.endswith(text) for name in names), f"{text} is in the wheel")


def check_signature(checks, output):
    """As docs/installation.md says; with the throw-away key of make_wheel."""
    verify = ["openssl", "dgst", "-sha256", "-verify", "release.pub", "-signature", "SHA256SUMS.sig", "SHA256SUMS"]
    compare = ["sha256sum", "--check", "--quiet", "--ignore-missing", "SHA256SUMS"]
    documented = (ROOT / "docs/installation.md").read_text()
    checks.expect(" ".join(verify) in documented and "sha256sum --check --ignore-missing SHA256SUMS" in documented, "the page says how to verify")
    run_ok(checks, "openssl", "ec", "-in", "throw-away.key", "-pubout", "-out", "release.pub", cwd=output)
    run_ok(checks, *verify, cwd=output)
    run_ok(checks, *compare, cwd=output)
    archive, = output.glob("*.tar.gz")
    for file, command in ((archive, compare), (output / "SHA256SUMS", verify), (output / "SHA256SUMS.sig", verify)):
        whole = file.read_bytes()
        file.write_bytes(whole[:20] + bytes([whole[20] ^ 1]) + whole[21:])
        checks.expect(run(*command, cwd=output).returncode != 0, f"a damaged {file.name} is found")
        file.write_bytes(whole)
    run_ok(checks, "openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "other.key", cwd=output)
    run_ok(checks, "openssl", "ec", "-in", "other.key", "-pubout", "-out", "release.pub", cwd=output)
    checks.expect(run(*verify, cwd=output).returncode != 0, "the key of somebody else is none")


def check_github_action(checks, wheel, work):
    """The script behind action.yml, as GitHub runs it."""
    script = ROOT / ".ci/analyze.sh"
    listed = set(re.findall(r"^#   ([A-Z_]+) ", script.read_text(), re.M))
    passed = set(re.findall(r"^        ([A-Z_]+): \$\{\{ inputs\.", (ROOT / "action.yml").read_text(), re.M))
    checks.equal(passed, listed, "variables that action.yml passes")
    for fail_on, status in (("error", 1), ("", 0)):
        there = work / f"action_{status}"
        there.mkdir()
        variables = {"PACKAGE": wheel, "PROJECT": work / "project", "REPORT": there / "report", "FAIL_ON": fail_on, "RUNNER_TEMP": there,
                     "GITHUB_PATH": there / "path", "GITHUB_STEP_SUMMARY": there / "summary"}
        done = run("env", *(f"{name}={value}" for name, value in variables.items()), script, cwd=work)
        checks.equal((done.returncode, done.stderr), (status, ""), f"with FAIL_ON={fail_on}")
        checks.equal((there / "summary").read_text(), (there / "report/report.md").read_text(), "the summary")
        checks.expect((Path((there / "path").read_text().strip()) / "migrator").exists(), "later steps find the program")
        checks.expect((there / "report/report.sarif").exists(), "the report for code scanning is written")


def check_gitlab_job(checks, work):
    """The last command of the job, with and without settings."""
    job = (ROOT / ".gitlab/migrator.yml").read_text()
    command = " ".join(job.split("- >\n", 1)[1].split("  artifacts:", 1)[0].split())
    for fail_on, status in (("error", 1), ("", 0)):
        variables = ["TORCH_VERSION=2.7", "BASELINE=", f"FAIL_ON={fail_on}", f"REPORT={work}/gitlab_{status}",
                     f"PATH={work / 'venv/bin'}:{os.environ['PATH']}"]
        done = run("env", *variables, "sh", "-c", command, cwd=work / "project")
        checks.equal((done.returncode, done.stderr), (status, ""), f"the job with FAIL_ON={fail_on}")
        for name in re.findall(r": migrator_report/(\S+)", job):
            checks.expect((work / f"gitlab_{status}" / name).exists(), f"{name} is written")


def check_hooks(checks, work):
    """The commands of .pre-commit-hooks.yaml, with the names of files after them, as pre-commit runs them; --check says why it fails."""
    hooks = dict(re.findall(r"^- id: (\S+)\n(?:  .*\n)*?  entry: (.+)$", (ROOT / ".pre-commit-hooks.yaml").read_text(), re.M))
    checks.equal(sorted(hooks), ["migrator", "migrator-check"], "hooks")
    there = work / "hooked"
    there.mkdir()
    (there / "a.py").write_text("import torch\nx = torch.zeros(2).cuda()\n")
    path = f"PATH={work / 'venv/bin'}:{os.environ['PATH']}"
    for hook, status, said in (("migrator-check", 1, "1 file would change"), ("migrator", 0, ""), ("migrator-check", 0, "")):
        done = run("env", path, *hooks[hook].split(), "a.py", cwd=there)
        checks.equal(done.returncode, status, f"{hook}: {done.stdout}{done.stderr}")
        checks.expect(said in done.stderr and bool(said) == bool(done.stdout + done.stderr), f"{hook} says: {done.stdout}{done.stderr}")
    checks.expect("import torch_npu" in (there / "a.py").read_text(), "the hook rewrites the file")


def main():
    checks = Checks()
    programs = Path(tool("portable/migrator")).parent
    with temporary_directory() as name:
        work = Path(name)
        wheel = make_wheel(programs, work / "dist")
        check_content(checks, wheel)
        check_signature(checks, wheel.parent)
        run_ok(checks, sys.executable, "-m", "venv", work / "venv")
        python = work / "venv/bin/python"
        run_ok(checks, python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
        for program in ("migrator", "ckpt_convert"):
            installed = work / "venv/bin" / program
            checks.expect(installed.read_bytes() == (programs / program).read_bytes(), f"{program} is the one that was built")
        check_main_jobs(checks, work / "venv/bin", work)
        run_ok(checks, python, "-I", ROOT / "tests/packages/module_use.py", work, work / "project", work / "hf")
        check_github_action(checks, wheel, work)
        check_gitlab_job(checks, work)
        check_hooks(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
