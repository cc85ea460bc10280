"""Model and training settings, and how they are read from a YAML file."""

from dataclasses import dataclass, field, fields

try:
    import yaml
except ImportError:  # the files in configs/ need only the subset below
    yaml = None


@dataclass
class ModelConfig:
    vocab_size: int = 0  # 0: take it from the tokenizer
    block_size: int = 256
    n_layer: int = 6
    n_head: int = 6
    n_embd: int = 384
    dropout: float = 0.1
    recompute: bool = False  # trade compute for activation memory


@dataclass
class TrainConfig:
    device: str = "cuda"
    backend: str = "nccl"
    dtype: str = "float16"
    seed: int = 1234
    out_dir: str = "runs/base"
    sentences: int = 20000
    batch_size: int = 32
    grad_accum: int = 1
    num_workers: int = 4
    optimizer: str = "adamw"
    learning_rate: float = 6.0e-4
    min_lr: float = 6.0e-5
    warmup_steps: int = 100
    decay_steps: int = 2000
    weight_decay: float = 0.1
    grad_clip: float = 1.0
    max_steps: int = 2000
    eval_every: int = 200
    eval_batches: int = 20
    save_every: int = 500
    log_every: int = 10
    profile: bool = False


@dataclass
class Config:
    model: ModelConfig = field(default_factory=ModelConfig)
    train: TrainConfig = field(default_factory=TrainConfig)


def load_config(path):
    """Read ``path`` into a :class:`Config`; unknown names are an error."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    tree = yaml.safe_load(text) if yaml else _parse_two_level_yaml(text)
    unknown = set(tree) - {"model", "train"}
    if unknown:
        raise ValueError(f"{path}: unknown section {sorted(unknown)}")
    return Config(
        model=_fill(ModelConfig, tree.get("model") or {}, path),
        train=_fill(TrainConfig, tree.get("train") or {}, path),
    )


def _fill(cls, values, path):
    types = {f.name: f.type for f in fields(cls)}
    unknown = set(values) - set(types)
    if unknown:
        raise ValueError(f"{path}: unknown setting {sorted(unknown)}")
    return cls(**{name: _coerce(value, types[name]) for name, value in values.items()})


def _coerce(value, kind):
    if kind is bool and isinstance(value, str):
        return value.lower() in ("true", "yes", "on")
    return kind(value)


def _parse_two_level_yaml(text):
    """Parse ``section:`` lines followed by indented ``name: value`` lines."""
    tree, section = {}, None
    for line in text.splitlines():
        line = line.split("#", 1)[0].rstrip()
        if not line:
            continue
        name, _, value = line.strip().partition(":")
        if line[0] != " ":
            section = tree.setdefault(name, {})
        else:
            section[name] = value.strip().strip("\"'")
    return tree
