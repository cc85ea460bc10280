"""The language of what the programs print for people: --lang, or the locale. What programs read is the same in every language."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, temporary_directory, tool  # noqa: E402

SAMPLE = ROOT / "samples/gpt_train"
LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
CHINESE = re.compile("[\u4e00-\u9fff]")
# Three English words in a row are a sentence that was not said in Chinese. Code, and titles of what facts come from, stay.
ENGLISH = re.compile("[A-Za-z]*[a-z]{2} [a-z]{2,} [a-z]{2,}")
OPERATORS = "aten::add\ntorch.linalg.inv\ntorch.cdist float64\nfoo::bar\ntorch.fft.fft float32 12\nc10d::allreduce_\n"
# Errors of command lines, as they are typed.
WRONG = (
    ("migrator", "analyse"), ("migrator", "analyze", ".", "--ouput", "x"), ("migrator", "migrate", "."), ("migrator",),
    ("migrator", "analyze", "not_there"), ("migrator", "analyze", ".", "--fail-on", "eror"), ("migrator", "migrate", ".", "-o"),
    ("ckpt_convert", "verfy", "x"), ("ckpt_convert", "a", "b", "--tp", "x"), ("ckpt_convert", "a", "b", "--tpp", "2"),
    ("ckpt_convert", "inspect"), ("ckpt_convert", "Qwen/Qwen3-8B", "out"), ("ckpt_convert", "a", "b", "--memory", "5q"),
)


def said(program, *words, cwd=None, **locale):
    """Exit code, output and errors, with this locale alone."""
    environment = {name: value for name, value in os.environ.items() if name not in LOCALES}
    done = subprocess.run([str(tool(program)), *map(str, words)], capture_output=True, text=True, encoding="utf-8", cwd=cwd,
                          env=environment | locale)
    return done.returncode, done.stdout, done.stderr


def check_choice(checks):
    english = said("migrator", "--help")[1]
    chinese = said("migrator", "--help", "--lang", "zh")[1]
    checks.expect(not CHINESE.search(english), "without a locale help is English")
    checks.expect("用法：migrator" in chinese and "Usage" not in chinese, "--lang zh has the help in Chinese")
    for locale, wanted in (({"LANG": "zh_CN.UTF-8"}, chinese), ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, english),
                           ({"LANG": "C", "LC_MESSAGES": "zh_TW"}, chinese), ({"LANG": "de_DE.UTF-8"}, english),
                           ({"LANG": "C", "LC_MESSAGES": "C", "LC_ALL": "zh_CN.UTF-8"}, chinese)):
        checks.equal(said("migrator", "--help", **locale)[1], wanted, f"help with {locale}")
    checks.equal(said("migrator", "--lang=en", "--help", LANG="zh_CN.UTF-8")[1], english, "--lang comes before the locale")
    for words in (("--lang", "fr", "--help"), ("analyze", ".", "--lang")):
        code, out, error = said("migrator", *words)
        checks.expect(code == 2 and not out and "en" in error and "zh" in error, f"{words}: {error}")


def check_help(checks):
    """Each line that has English words in its description has Chinese ones too."""
    for program in ("migrator", "ckpt_convert"):
        code, out, _ = said(program, "--help-all", "--lang", "zh")
        checks.equal(code, 0, f"{program} --help-all")
        checks.expect(len(CHINESE.findall(out)) > 1000, f"{program} --help-all is in Chinese")
        for line in out.splitlines():
            checks.expect(len(line) <= 200, f"{program}: a long line {line}")


def check_errors(checks):
    for program, *words in WRONG:
        english = said(program, *words)
        chinese = said(program, *words, LANG="zh_CN.UTF-8")
        checks.equal(chinese[:2], english[:2], f"{program} {words}: exit code and output")
        checks.expect(english[2].startswith(f"{program}: error: ") and not CHINESE.search(english[2]), f"English: {english[2]}")
        checks.expect(chinese[2].startswith(f"{program}: 错误：") and len(CHINESE.findall(chinese[2])) > 3, f"Chinese: {chinese[2]}")
        quoted = re.findall(r'"[^"]*"', english[2])
        checks.expect(all(word in chinese[2] for word in quoted), f"names stay: {chinese[2]} of {english[2]}")


def prose_of(page):
    """The lines that are neither code nor a source."""
    for line in page.splitlines():
        if not re.match(r"\s*([-+] |来源|https?:)", line) and "查阅于" not in line:
            yield re.sub(r"\b(migrator|ckpt_convert) [a-z]+ .*", "", line)  # a command


def check_page(checks, program, *words, cwd, between=lambda: None):
    """A page in both languages: the same exit code and lines, none in the other's words."""
    english = said(program, *words, cwd=cwd)
    between()
    code, page, error = said(program, *words, cwd=cwd, LANG="zh_CN.UTF-8")
    checks.equal(code, english[0], f"{words}: exit code; {error}")
    checks.equal(page.count("\n"), english[1].count("\n"), f"{words}: as many lines")
    checks.expect(not CHINESE.search(english[1]), f"{words}: English is English")
    checks.expect(CHINESE.search(page), f"{words}: Chinese is Chinese")
    for line in prose_of(page.split("\n来源\n")[0]):
        checks.expect(not ENGLISH.search(line), f"{words}: not translated: {line}")


def check_same(checks, program, *words, cwd):
    checks.equal(said(program, *words, cwd=cwd, LANG="zh_CN.UTF-8")[:2], said(program, *words, cwd=cwd)[:2], f"{words} for programs")


def check_pages(checks, work):
    (work / "ops.txt").write_text(OPERATORS)
    subprocess.run([sys.executable, ROOT / "samples/checkpoints/make_tiny.py", "qwen3", work / "hf"], check=True, capture_output=True)
    checks.equal(said("migrator", "rules", "new", "mine/house.json", cwd=work)[0], 0, "rules new")
    with (work / "mine/cases/house.py").open("a") as case:
        case.write("# expect: no.such_rule\n")
    for word in ("amp.renamed", "advice.autocast_dtype", "affinity.fused_optimizer", "torch.cuda.amp.autocast", "torch.linalg.inv", "apex",
                 "torch.nn.functional.grid_sample", "CUDA_VISIBLE_DEVICES", "nvidia-smi", "cudaMalloc"):
        if said("migrator", "explain", word)[0] == 0:
            check_page(checks, "migrator", "explain", word, cwd=work)
            check_same(checks, "migrator", "explain", word, "--json", cwd=work)
    for words in (("rules", "list"), ("rules", "test", "mine"), ("ops", "ops.txt", "--verbose"), ("ops", "ops.txt", "--chip", "950"),
                  ("ops", "ops.txt", "--chip", "310B", "--torch-version", "2.1")):
        check_page(checks, "migrator", *words, cwd=work)
        check_same(checks, "migrator", *words, "--json", cwd=work)
    for words in (("inspect", "hf"), ("inspect", "hf", "--layers"), ("inspect", "hf", "--summary"), ("models", "list")):
        check_page(checks, "ckpt_convert", *words, cwd=work)
        check_same(checks, "ckpt_convert", *words, "--json", cwd=work)
    for words in (("hf", "mcore", "--tp", "2", "--pp", "2", "--dry-run"), ("hf", "mcore", "--tp", "2", "--pp", "2", "--no-progress")):
        check_page(checks, "ckpt_convert", *words, cwd=work, between=lambda: shutil.rmtree(work / "mcore", ignore_errors=True))
    shutil.rmtree(work / "mcore")
    checks.equal(said("ckpt_convert", "hf", "mcore", "--tp", "2", "--pp", "2", "-q", cwd=work)[0], 0, "a conversion")
    for words in (("inspect", "mcore"), ("verify", "hf", "mcore"), ("verify", "mcore"), ("models", "show", "qwen3"), ("models", "show", "deepseek")):
        if said("ckpt_convert", *words, cwd=work)[0] == 0:
            check_page(checks, "ckpt_convert", *words, cwd=work)
    checks.expect("流水线 rank 0 的层" in said("ckpt_convert", "inspect", "mcore", "--lang", "zh", cwd=work)[1], "inspect names the layers of a stage")
    error = said("ckpt_convert", "verfy", "x", "--lang", "zh")[2]
    checks.expect(error.startswith("ckpt_convert: 错误：") and "： " not in error, f"no blank after the mark of an error: {error}")


def check_reports(checks, work):
    formats = "html,json,diff,markdown,csv,sarif,gitlab,junit"
    for language in ("en", "zh"):
        code, out, _ = said("migrator", "migrate", SAMPLE, "-o", work / "out", "--report", work / "report", "--format", formats, "--force",
                            "--lang", language)
        checks.equal(code, 0, f"migrate in {language}")
        (work / "report").rename(work / language)
        checks.expect(bool(CHINESE.search(out)) == (language == "zh"), f"summary in {language}: {out}")
    for path in sorted(path for path in (work / "en").rglob("*") if path.is_file()):
        other = (work / "zh" / path.relative_to(work / "en")).read_bytes()
        if path.name == "report.md":
            text = other.decode()
            checks.expect(text.startswith("# 迁移报告：") and "## 需手工处理" in text, "report.md is in Chinese")
        elif path.parent == work / "en":
            checks.expect(path.read_bytes() == other, f"{path.name} is the same in both languages")
    for words in (("analyze", SAMPLE, "--json"), ("rules", "list", "--json"), ("schema", "report"), ("--print-man",),
                  ("completion", "bash"), ("migrate", SAMPLE, "--diff")):
        checks.equal(said("migrator", *words, LANG="zh_CN.UTF-8")[1], said("migrator", *words)[1], f"{words} for programs")
    checks.equal(said("ckpt_convert", "models", "--json", LANG="zh_CN.UTF-8")[1], said("ckpt_convert", "models", "--json")[1], "models --json")


def main():
    checks = Checks()
    check_choice(checks)
    check_help(checks)
    check_errors(checks)
    with temporary_directory() as name:
        check_pages(checks, Path(name))
    with temporary_directory() as name:
        check_reports(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
