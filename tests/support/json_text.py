"""The one layout of hand-written JSON: what fits in a line stands on one line, everything else is broken.

A value that fits in 140 columns stands on one line. A longer object has one member per line, and so has a longer list; but a list
of texts and numbers is filled, as many to a line as fit. Two spaces for each level. Keys keep their order, numbers their digits,
and no letter is escaped that need not be. A text longer than the line stays whole.
"""

import json

WIDTH = 140


class Number(str):
    """The digits of a number as they are written: 1e-5 does not become 0.00001, nor 1.0 become 1."""


def read(text):
    """The value of a JSON text; its numbers are their own digits."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def laid_out(value):
    """The text of a value: of read(), or of any other that json writes."""
    return _text(value, 0, 0) + "\n"


def _quoted(text):
    return json.dumps(text, ensure_ascii=False)


def _one_line(value):
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(key)}: {_one_line(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_one_line, value)) + "]"
    return _quoted(value)


def _text(value, indent, before):
    """The text behind what is on the line already, `before` columns, in which a comma may follow it."""
    line = _one_line(value)
    if not value or not isinstance(value, (dict, list)) or before + len(line) + (indent > 0) <= WIDTH:
        return line
    margin = " " * (indent + 2)
    if isinstance(value, dict):
        keys = [f"{margin}{_quoted(key)}: " for key in value]
        lines = [key + _text(item, indent + 2, len(key)) for key, item in zip(keys, value.values())]
    elif any(isinstance(item, (dict, list)) for item in value):
        lines = [margin + _text(item, indent + 2, len(margin)) for item in value]
    else:
        lines = _filled([_one_line(item) for item in value], margin)
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(lines) + f"\n{' ' * indent}{last}"


def _filled(items, margin):
    lines = []
    for item in items:
        if lines and len(lines[-1]) + len(item) + 3 <= WIDTH:
            lines[-1] += f", {item}"
        else:
            lines.append(margin + item)
    return lines
