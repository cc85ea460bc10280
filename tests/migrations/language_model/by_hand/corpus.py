import numpy as np
import torch


def batches(path, rank, size):
    text = np.memmap(path, dtype=np.uint16)
    ends = np.flatnonzero(text == 2)
    for i in range(rank, len(ends) - 9, size):
        pieces = [torch.from_numpy(text[ends[i + k] : ends[i + k + 1]].astype(np.int64)) for k in range(8)]
        tokens = torch.zeros(8, 1024, dtype=torch.int64)  # hand: op.static_shape
        for row, piece in zip(tokens, pieces):
            row[: min(len(piece), 1024)] = piece[:1024]
        yield tokens, tokens != 0
