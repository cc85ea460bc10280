"""JSON values as dataclasses, by the types of their fields."""

import dataclasses
import keyword
import typing


def typed(kind, value):
    """`value` as `kind`: a dataclass, List[...], Dict[str, ...], Optional[...] or a plain type. Keys that a dataclass does not have are
    left out, since new versions of the programs may add some; a field without a key is None, or empty."""
    # typing.get_origin and get_args are missing in Python 3.7, which openEuler 20.03 has.
    origin, arguments = getattr(kind, "__origin__", None), getattr(kind, "__args__", ())
    if value is None:
        return None
    if origin is typing.Union:
        return typed(arguments[0], value)
    if origin is list:
        # A list of one may be written as its item.
        return [typed(arguments[0], item) for item in (value if isinstance(value, list) else [value])]
    if origin is dict:
        return {key: typed(arguments[1], item) for key, item in value.items()}
    if not dataclasses.is_dataclass(kind):
        return value
    types = typing.get_type_hints(kind)
    return kind(**{name: typed(types[name], value[key]) for name, key in keys(kind).items() if key in value})


def keys(kind):
    """The key in JSON of each field: its name, without the underscore after a word of Python."""
    names = [field.name for field in dataclasses.fields(kind)]
    return {name: name[:-1] if keyword.iskeyword(name[:-1]) else name for name in names}
