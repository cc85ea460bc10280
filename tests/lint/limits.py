"""The limits that docs/reference/limits.md promises are those of the source: each value is read from its constant."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

PAGE = ROOT / "docs/reference/limits.md"
# How the row of a limit begins; what the row says; the file, and the constants that must have these values there.
LIMITS = [
    ("a Python file", "16 MiB", "migrator/source/discovery.h", {"max_python_bytes": 16 << 20}),
    ("work for the patterns", "128 nodes looked at for each node of the file's tree, and a million",
     "migrator/pattern/pattern_matcher.cpp", {"kStepsPerNode": 128, "kFreeSteps": 10 ** 6}),
    ("uses that one changed import", "64", "migrator/match/import_plan.cpp", {"kMaxUses": 64}),
    ("functions of one name", "64", "migrator/loops/training_loop.cpp", {"kMaxSameName": 64}),
    ("differences of two files", "512", "migrator/edit/line_diff.cpp", {"kMaxCost": 512}),
    ("parts of a key", "100", "migrator/app/toml_depth.h", {"kMaxTomlKeyParts": 100}),
    ("levels of a pattern", "100", "migrator/pattern/pattern_compiler.cpp", {"kMaxLevels": 100}),
    ("nesting of JSON", "64", "base/json.h", {"max_depth": 64}),
    ("ways of constants", "512 expressions", "migrator/values/value_flow.cpp", {"kMaxFlowNodes": 512}),
    ("ways of constants", "32 steps for each node of the file's tree in all, and 100,000", "migrator/python/python_file.cpp",
     {"kStepsPerNode": 32, "kFreeSteps": 10 ** 5}),
    ("assignments of a variable", "256", "migrator/semantic/bindings.h", {"kMaxBindingSites": 256}),
    ("an ignored directory", "1,000 entries, 64 MiB", "migrator/source/mentions.cpp", {"kMostOpenedFiles": 1000, "kMostOpenedBytes": 64 << 20}),
    ("a path that code makes", "1,024 bytes", "migrator/project/path_value.h", {"kLongestPath": 1024}),
    ("a path that code makes", "48 expressions", "migrator/project/python_paths.cpp", {"kMaxDepth": 48}),
    ("git's index", "128 MiB", "base/git_index.cpp", {"kMaxIndexBytes": 128 << 20}),
    ("git's index", "paths of 4096 bytes", "base/git_index_reader.cpp", {"kMaxPathBytes": 4096}),
    ("git's index", "names of 255", "base/git_names.cpp", {"kMaxNameBytes": 255}),
    ("header of a safetensors file", "100,000,000 bytes", "ckpt_convert/formats/safetensors/safetensors.h",
     {"kMaxSafetensorsHeaderBytes": 10 ** 8}),
    ("keys that lead to a tensor", "1,024 bytes", "ckpt_convert/checkpoint/tensor_index.cpp", {"kMaxNameBytes": 1024}),
    ("the name of a module", "512 bytes", "migrator/semantic/name_table.h", {"kMaxNameBytes": 512}),
    ("a key or a variable in settings", "1,024 bytes", "migrator/text/text_contents.h", {"kMaxNameBytes": 1024}),
    ("a text of a database", "4,096 bytes", "migrator/profile/numbered_texts.h", {"kMaxTextBytes": 4096}),
    ("a stack of a profile", "16 KiB", "migrator/profile/numbered_texts.h", {"kMaxStackBytes": 16 << 10}),
    ("a stack of a profile", "16 KiB", "migrator/compare/module_tree.cpp", {"kMaxStackBytes": 16 << 10}),
    ("computed columns", "64 bytes", "migrator/profile/profile_database.cpp", {"kMaxDefaultBytes": 64}),
    ("frames, operators and modules", "256", "migrator/compare/frame_tree.h", {"kMaxLevels": 256}),
    ("what variables of a script", "4 MiB", "ckpt_convert/launch/shell_expansion.h", {"kMaxExpandedBytes": 4 << 20}),
    ("the way to a module", "2,048 bytes", "migrator/compare/module_tree.cpp", {"kMaxPathBytes": 2048}),
    ("pairs of groups", "64 times", "migrator/profile/intervals.cpp", {"kWorkPerInterval": 64, "kFreeWork": 10 ** 7}),
    ("a file for `--config`", "64 KiB", "ckpt_convert/app/config_file.h", {"kMaxBytes": 64 << 10}),
    ("ranks of one kind", "65,536", "ckpt_convert/app/options.cpp", {"kMaxRanks": 65536}),
]
WORK = {"kMemory": (64 << 20, 1024), "kRead": (16 << 20, 64), "kSteps": (1 << 20, 10)}
WORK_TEXT = "1 KiB of memory, 64 bytes looked at and 10 steps for each byte of the file, and 64 MiB, 16 MiB and a million steps"


def constant(text, name):
    """The value of `constexpr TYPE NAME = EXPRESSION;`, of whole numbers and shifts; None when there is none."""
    found = re.search(rf"\b{name} ?= ?([^;]+);", text)
    if not found:
        return None
    expression = re.sub(r"std::(?:size_t|uint64_t)\{(\d+)\}", r"\1", found.group(1).replace("'", ""))
    expression = re.sub(r"(\d)[ul]+\b", r"\1", expression)
    return eval(expression) if re.fullmatch(r"[\d <]+", expression) else None


def main():
    checks = Checks()
    page = PAGE.read_text()
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    for begins, says, path, constants in LIMITS:
        row = next((line for line in rows if line.startswith(f"| {begins}")), "")
        checks.expect(says in row, f"limits.md: the row of {begins!r} does not say {says!r}")
        for name, value in constants.items():
            checks.equal(constant((ROOT / path).read_text(), name), value, f"{path}: {name}, of {begins!r}")
    named = {begins for begins, *_ in LIMITS}
    # A row without a constant of its own: what it says is held by its test alone.
    tested = ("work for parsing", "blocks in each other", "other levels", "findings of a file", "values in each other", "limit", "---")
    for row in rows[:rows.index(next(line for line in rows if line.startswith("| in the text")))]:
        known = any(row.startswith(f"| {begins}") for begins in (*named, *tested))
        checks.expect(known, f"limits.md: no constant is known for {row[:60]!r}")
    checks.expect(WORK_TEXT in page.replace("\n", " "), "limits.md: the work for parsing")
    source = (ROOT / "migrator/syntax/bounded_parse.cpp").read_text()
    for name, (free, per_byte) in WORK.items():
        found = re.search(rf"Limit {name}\{{(\d+) << 20, (\d+)\}}", source)
        checks.expect(found and (int(found.group(1)) << 20, int(found.group(2))) == (free, per_byte), f"bounded_parse.cpp: {name}")
    checks.finish()


if __name__ == "__main__":
    main()
