"""The part of JSON Schema that the schemas in docs/reference use; of others, what it knows is checked."""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "number": (int, float)}


def is_type(value, name):
    if name == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, schema, root=None, where="$"):
    """What is wrong with a value, as lines of text."""
    root = root or schema
    if "$ref" in schema:
        target = root
        for name in schema["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        return problems(value, target, root, where)
    found = []
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_type(value, name) for name in types):
        return [f"{where}: is no {' or '.join(types)}: {value!r:.80}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{where}: is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where}: {value!r} is not one of {schema['enum']}")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        found.append(f"{where}: {value!r} does not match {schema['pattern']}")
    if is_type(value, "integer") and value < schema.get("minimum", value):
        found.append(f"{where}: {value} is less than {schema['minimum']}")
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            found.append(f"{where}: has fewer than {schema['minItems']} items")
        for index, item in enumerate(value):
            found += problems(item, schema.get("items", {}), root, f"{where}[{index}]")
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        found += [f"{where}: has no {name}" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in properties:
                found += problems(item, properties[name], root, f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                found.append(f"{where}: has an unknown {name}")
            elif isinstance(schema.get("additionalProperties"), dict):
                found += problems(item, schema["additionalProperties"], root, f"{where}.{name}")
    if "anyOf" in schema and all(problems(value, choice, root, where) for choice in schema["anyOf"]):
        found.append(f"{where}: fits none of the choices")
    return found
