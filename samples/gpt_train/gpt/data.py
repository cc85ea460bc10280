"""Synthetic text, its character tokenizer, and batches on the GPU.

The corpus is made of small sums in words ("seven × six is 42.") so that a tiny
model has something to learn and nothing needs to be downloaded.
"""

import random

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

WORDS = "zero one two three four five six seven eight nine ten".split()
OPERATORS = {"plus": int.__add__, "minus": int.__sub__, "×": int.__mul__}
ALPHABET = "\n -.0123456789abcdefghijklmnopqrstuvwxyz×"


def synthesize_text(sentences, seed):
    rng = random.Random(seed)
    lines = []
    for _ in range(sentences):
        left, right = rng.randrange(len(WORDS)), rng.randrange(len(WORDS))
        name = rng.choice(list(OPERATORS))
        lines.append(f"{WORDS[left]} {name} {WORDS[right]} is {OPERATORS[name](left, right)}.")
    return "\n".join(lines)


class CharTokenizer:
    def __init__(self, alphabet=ALPHABET):
        self.alphabet = alphabet
        self.ids = {char: i for i, char in enumerate(alphabet)}

    @property
    def vocab_size(self):
        # Rounded up: matrix multiplications like sizes that are multiples of 8 (fp16 Tensor Cores).
        return -(-len(self.alphabet) // 8) * 8

    def encode(self, text):
        return [self.ids[char] for char in text]

    def decode(self, ids):
        return "".join(self.alphabet[i] if i < len(self.alphabet) else "?" for i in ids)


class TextDataset(Dataset):
    """Consecutive windows of ``block_size`` tokens and their successors."""

    def __init__(self, tokens, block_size):
        self.tokens = torch.as_tensor(tokens, dtype=torch.long)
        self.block_size = block_size

    def __len__(self):
        return (len(self.tokens) - 1) // self.block_size

    def __getitem__(self, index):
        start = index * self.block_size
        window = self.tokens[start : start + self.block_size + 1]
        return window[:-1], window[1:]


def build_datasets(cfg, tokenizer):
    tokens = tokenizer.encode(synthesize_text(cfg.train.sentences, cfg.train.seed))
    split = len(tokens) * 9 // 10
    block_size = cfg.model.block_size
    return TextDataset(tokens[:split], block_size), TextDataset(tokens[split:], block_size)


def build_loader(dataset, cfg, world, shuffle):
    sampler = DistributedSampler(dataset, world.size, world.rank, shuffle=shuffle, seed=cfg.seed, drop_last=True)
    return DataLoader(
        dataset,
        batch_size=cfg.batch_size,
        sampler=sampler,
        num_workers=cfg.num_workers,
        pin_memory=torch.cuda.is_available(),
        persistent_workers=cfg.num_workers > 0,
        drop_last=True,
    )


def endless(loader, start):
    """Batches for ever, epoch after epoch, as if ``start`` of them had been taken already."""
    if len(loader) == 0:
        raise ValueError("the data set is smaller than one batch")
    epoch, skip = divmod(start, len(loader))
    while True:
        loader.sampler.set_epoch(epoch)
        for index, batch in enumerate(loader):
            if index >= skip:
                yield batch
        epoch, skip = epoch + 1, 0


class CUDAPrefetcher:
    """Copies the next batch to the device on a side stream while the current one is used.

    The idea is explained in https://pytorch.org/docs/stable/notes/cuda.html under
    "Use pinned memory buffers". On the CPU the batches pass through unchanged.
    """

    def __init__(self, batches, device):
        self.batches = batches
        self.device = device
        self.stream = torch.cuda.Stream(device=device) if device.type == "cuda" else None

    def __iter__(self):
        if self.stream is None:
            yield from self.batches
            return
        ready = None
        for batch in self.batches:
            with torch.cuda.stream(self.stream):
                coming = [tensor.to(self.device, non_blocking=True) for tensor in batch]
            if ready is not None:
                yield ready
            current = torch.cuda.current_stream(self.device)
            current.wait_stream(self.stream)
            for tensor in coming:
                tensor.record_stream(current)
            ready = coming
        if ready is not None:
            yield ready
