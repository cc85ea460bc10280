from .devices import cuda, pick
