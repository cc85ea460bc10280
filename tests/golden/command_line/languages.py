"""The language of what the programs print for people: --lang, or the locale. What programs read is the same in every language."""

import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, temporary_directory, tool  # noqa: E402

SAMPLE = ROOT / "samples/gpt_train"
LOCALES = ("LC_ALL", "LC_MESSAGES", "LANG")
CHINESE = re.compile("[\u4e00-\u9fff]")
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
        check_reports(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
