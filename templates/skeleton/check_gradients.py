"""Compares the gradient of each operator of this package with differences of its values: python -m PACKAGE.check_gradients"""

import importlib
import pkgutil
import sys

import torch


def check(module):
    """"right", "not written", "no gradient", or what is wrong."""
    try:
        examples = module.examples()
        for arguments in examples:
            torch.autograd.gradcheck(module.operator, arguments)
    except NotImplementedError:
        return "not written"
    except Exception as problem:
        return f"wrong: {problem}"
    return "right" if examples else "no gradient"


def main():
    package = importlib.import_module(__package__)
    failed = False
    for found in pkgutil.iter_modules(package.__path__):
        if found.name == "check_gradients":
            continue
        result = check(importlib.import_module(f"{__package__}.{found.name}"))
        failed |= result.startswith("wrong")
        print(f"{found.name}: {result}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
