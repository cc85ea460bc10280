"""docs/reference/environment.md and its Chinese counterpart: the environment variables of the NPU, from rules/env/values.json.

    variables_page.py          checks that both are what the table and its translation say
    variables_page.py --fix    writes them
"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

PAGES = {
    "docs/reference/environment.md": {
        "title": "Environment variables of the NPU",
        "about": "Written by `tests/lint/variables_page.py --fix` from `rules/env/values.json`, which `migrator analyze`, `ckpt_convert launch --check` and\n"
                 "`migrator explain NAME` read as well. A value outside a list or a range is an error of the first two; of values that are described in words, they judge what they can read.",
        "columns": ("variable", "what it does", "values", "without it", "when to set it, and what to know", "source"),
        "options": "Options of {}",
        "option": ("option", "values"),
        "words": {"min": "at least {}", "max": "at most {}", "above": "above {}", "below": "below {}", "multiple_of": "a multiple of {}"}, "numbers": "numbers with commas between them",
        "or": ", ", "since": "From {}.", "instead": "Today it is {}.", "excludes": "{} excludes {}.", "any": "any",
    },
    "docs/zh/reference/environment.md": {
        "title": "NPU 的环境变量",
        "about": "由 `tests/lint/variables_page.py --fix` 根据 `rules/env/values.json` 生成，`migrator analyze`、`ckpt_convert launch --check` 和\n"
                 "`migrator explain NAME` 也读取同一张表。前两者会把不在列表或范围内的取值报告为错误；用文字描述的取值，只检查其中能够判断的部分。",
        "columns": ("变量", "作用", "取值", "不设置时", "何时设置，注意事项", "来源"),
        "options": "{} 的选项",
        "option": ("选项", "取值"),
        "words": {"min": "不小于 {}", "max": "不大于 {}", "above": "大于 {}", "below": "小于 {}", "multiple_of": "{} 的倍数"}, "numbers": "以逗号分隔的编号",
        "or": "，", "since": "自 {} 起。", "instead": "现名为 {}。", "excludes": "{} 不能与 {} 同时使用。", "any": "任意",
    },
}


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*").replace("[", "\\[").strip()


def code(text):
    return f"`{text}`"


def limits(row, page):
    out = [words.format(f"{row[key]:.10g}") for key, words in page["words"].items() if key in row]
    if row.get("numbers"):
        out.append(page["numbers"])
    if "one_of" in row:
        out.append(", ".join(code(word) for word in row["one_of"]))
    return page["or"].join(out)


def text_of(name, page):
    table = json.loads((ROOT / "rules/env/values.json").read_text(encoding="utf-8"))["tables"][0]
    chinese = json.loads((ROOT / "rules/translations/zh/env.json").read_text(encoding="utf-8"))["texts"] if "/zh/" in name else {}
    sources = json.loads((ROOT / "rules/sources.json").read_text(encoding="utf-8"))["sources"]
    say = lambda text: chinese.get(text, text)  # noqa: E731
    lines = [f"# {page['title']}", "", page["about"], "", "| " + " | ".join(page["columns"]) + " |", "|---" * len(page["columns"]) + "|"]
    for row in table["rows"]:
        values = page["or"].join(filter(None, (limits(row, page), cell(say(row.get("form", ""))))))
        if row.get("unit"):
            values += f" ({row['unit']})"
        more = [cell(say(row[key])) for key in ("use_when", "note") if key in row]
        more += [page["since"].format(row["since"])] if "since" in row else []
        more += [page["instead"].format(code(row["instead"]))] if "instead" in row else []
        more += [page["excludes"].format(code(option), ", ".join(code(other) for other in others)) for option, others in row.get("excludes", {}).items()]
        more += [cell(say(one["note"])) for one in row.get("not_beside", [])]
        key, _, place = row["source"].partition(": ")
        # As `migrator explain` has it: the page of the variable, where the source names one.
        url = sources[key]["url"] + (f"/blob/master/{place}" if place.endswith(".md") else "")
        lines.append("| " + " | ".join([code(row["name"]), cell(say(row["meaning"])), values or "—", code(row["default"]) if "default" in row else "—",
                                        " ".join(more) or "—", f"[{key}]({url})"]) + " |")
    for row in table["rows"]:
        if not row.get("options"):
            continue
        lines += ["", "## " + page["options"].format(code(row["name"])), "", "| " + " | ".join(page["option"]) + " |", "|---|---|"]
        lines += [f"| `{option}` | {limits(of, page) or page['any']} |" for option, of in row["options"].items()]
    return "\n".join(lines) + "\n"


def main():
    checks = Checks()
    for name, page in PAGES.items():
        text, path = text_of(name, page), ROOT / name
        if "--fix" in sys.argv:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        checks.expect(path.is_file() and path.read_text(encoding="utf-8") == text, f"{name} is not what rules/env/values.json says: tests/lint/variables_page.py --fix")
    checks.finish()


if __name__ == "__main__":
    main()
