"""Translation with a recurrent encoder, attention, and a transformer beside it; a Batch class of its own with a method cuda()."""

import os
import random
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

PAD, BOS, EOS, VOCAB = 0, 1, 2, 20
DEVICE = os.environ.get("TRAIN_DEVICE", "cuda")


class Batch:
    def __init__(self, src: torch.Tensor, tgt: torch.Tensor):
        self.src, self.tgt = src, tgt

    def cuda(self):
        self.src, self.tgt = self.src.cuda(), self.tgt.cuda()
        return self

    def to(self, device):
        return Batch(self.src.to(device), self.tgt.to(device))

    def pin_memory(self):
        return Batch(self.src.pin_memory(), self.tgt.pin_memory())


def pairs(count=32):
    rng = random.Random(5)
    for _ in range(count):
        words = [rng.randrange(3, VOCAB) for _ in range(rng.randrange(2, 8))]
        yield torch.tensor(words), torch.tensor([BOS, *reversed(words), EOS])


def collate(samples, pad):
    return Batch(*(pad_sequence(part, batch_first=True, padding_value=pad) for part in zip(*samples)))


class Attention(nn.Module):
    def forward(self, query, memory, mask):
        scores = torch.bmm(memory, query.unsqueeze(2)).squeeze(2) / memory.size(-1) ** 0.5
        weights = scores.masked_fill(~mask, -1e4).softmax(-1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1)


class Seq2Seq(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, width, padding_idx=PAD)
        self.encoder = nn.GRU(width, width // 2, batch_first=True, bidirectional=True)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.0, batch_first=True, norm_first=True)
        self.refine = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.cell = nn.LSTMCell(width * 2, width)
        self.attention = Attention()
        self.out = nn.Linear(width * 2, VOCAB)
        self.out_bias = nn.Parameter(torch.zeros(VOCAB))

    def forward(self, src, tgt, teacher_forcing=1.0):
        mask = src != PAD
        memory, _ = self.encoder(self.embed(src))
        memory = self.refine(memory, src_key_padding_mask=~mask)
        hidden = (memory * mask.unsqueeze(-1)).sum(1) / mask.sum(1, keepdim=True)
        cell = torch.zeros_like(hidden)
        context = hidden.new_zeros(hidden.shape)
        token, logits = tgt[:, 0], []
        for step in range(tgt.size(1) - 1):
            hidden, cell = self.cell(torch.cat([self.embed(token), context], -1), (hidden, cell))
            context = self.attention(hidden, memory, mask)
            logits.append(self.out(torch.cat([hidden, context], -1)) + self.out_bias)
            token = tgt[:, step + 1] if random.random() < teacher_forcing else logits[-1].argmax(-1)
        return torch.stack(logits, 1)


def greedy(model, src, limit=8):
    model.eval()
    with torch.inference_mode():
        tgt = torch.full((src.size(0), limit), BOS, dtype=torch.long, device=src.device)
        return model(src, tgt, teacher_forcing=0.0).argmax(-1)


def main():
    random.seed(0)
    torch.manual_seed(0)
    device = torch.device(DEVICE if torch.cuda.is_available() else "cpu")
    model = Seq2Seq().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, betas=(0.9, 0.98))
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
    loader = DataLoader(list(pairs()), batch_size=8, collate_fn=partial(collate, pad=PAD), shuffle=True,
                        generator=torch.Generator().manual_seed(2))
    for epoch in range(2):
        for batch in loader:
            batch = batch.cuda() if epoch == 0 and device.type == "cuda" else batch.to(device)
            logits = model(batch.src, batch.tgt, teacher_forcing=0.9)
            loss = F.cross_entropy(logits.reshape(-1, VOCAB), batch.tgt[:, 1:].reshape(-1), ignore_index=PAD, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            print(f"epoch {epoch} loss {loss.item():.6f} lr {scheduler.get_last_lr()[0]:.1e}")
        if device.type == "cuda":
            torch.cuda.empty_cache()
    words = greedy(model, batch.src)
    print("greedy loss %.6f" % words.float().mean().item())


if __name__ == "__main__":
    main()
