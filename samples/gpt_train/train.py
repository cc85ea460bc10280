"""Pre-train the GPT.

One GPU::

    python train.py --config configs/base.yaml

Eight GPUs of one server::

    torchrun --nproc_per_node=8 train.py --config configs/base.yaml
"""

import argparse
import contextlib
import os

import torch
from torch.cuda.amp import GradScaler, autocast

from evaluate import estimate_loss
from gpt import GPT, load_config
from gpt.checkpoint import resume_training, save_checkpoint, warm_start
from gpt.data import CharTokenizer, CUDAPrefetcher, build_datasets, build_loader, endless
from gpt.distributed import init_distributed, mean_across_ranks, shutdown, unwrap_model, wrap_model
from gpt.gpu_monitor import GpuMonitor
from gpt.optim import build_optimizer, build_scheduler
from gpt.profiling import MemoryReport, StepTimer, build_profiler, nvtx_range
from gpt.utils import (
    Throughput,
    amp_dtype,
    describe_device,
    peak_flops,
    release_memory,
    seed_everything,
    setup_backends,
)

try:
    from torch.utils.tensorboard import SummaryWriter
except ImportError:
    SummaryWriter = None


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default="configs/base.yaml")
    parser.add_argument("--device", help="cuda, cuda:N or cpu; default: the one in the config")
    parser.add_argument("--no-cuda", action="store_true", help="train on the CPU even if CUDA is available")
    parser.add_argument("--max-steps", type=int)
    parser.add_argument("--out-dir")
    parser.add_argument("--resume", action="store_true", help="continue from last.pt in the output directory")
    parser.add_argument("--init-from", metavar="PT", help="start from the weights of this checkpoint")
    parser.add_argument("--profile", action="store_true", help="write a trace of a few steps")
    return parser.parse_args()


def configure(args):
    cfg = load_config(args.config)
    if args.no_cuda:
        cfg.train.device = "cpu"
    for name in ("device", "max_steps", "out_dir"):
        value = getattr(args, name)
        if value is not None:
            setattr(cfg.train, name, value)
    cfg.train.profile |= args.profile
    return cfg


class Trainer:
    def __init__(self, cfg, world):
        self.cfg, self.world, self.device = cfg.train, world, world.device
        tokenizer = CharTokenizer()
        cfg.model.vocab_size = cfg.model.vocab_size or tokenizer.vocab_size
        train_set, val_set = build_datasets(cfg, tokenizer)
        self.train_loader = build_loader(train_set, self.cfg, world, shuffle=True)
        self.val_loader = build_loader(val_set, self.cfg, world, shuffle=False)

        self.model = wrap_model(GPT(cfg.model).to(self.device), world)
        self.optimizer = build_optimizer(self.model, self.cfg, self.device)
        self.scheduler = build_scheduler(self.optimizer, self.cfg)
        self.dtype = amp_dtype(self.cfg.dtype, self.device)
        # Only fp16 needs loss scaling: bf16 has the exponent range of fp32.
        self.scaler = GradScaler(enabled=self.dtype == torch.float16)
        self.step = 0

        self.tokens_per_step = self.cfg.batch_size * self.cfg.grad_accum * cfg.model.block_size * world.size
        self.monitor = GpuMonitor(self.device.index) if self.device.type == "cuda" else None
        self.writer = SummaryWriter(self.cfg.out_dir) if SummaryWriter and world.is_main else None

    @property
    def checkpoint_path(self):
        return os.path.join(self.cfg.out_dir, "last.pt")

    def log(self, text):
        if self.world.is_main:
            print(text, flush=True)

    def run(self):
        cfg = self.cfg
        batches = endless(self.train_loader, start=self.step * cfg.grad_accum)
        batches = iter(CUDAPrefetcher(batches, self.device))
        timer, memory = StepTimer(self.device), MemoryReport(self.device)
        with build_profiler(cfg.profile, self.device, os.path.join(cfg.out_dir, "trace")) as profiler:
            while self.step < cfg.max_steps:
                timer.start()
                loss = self.train_step(batches)
                seconds = timer.stop()
                self.step += 1
                if profiler is not None:
                    profiler.step()
                if self.step % cfg.log_every == 0 or self.step == cfg.max_steps:
                    self.report(loss, seconds, memory)
                if self.step % cfg.eval_every == 0:
                    self.evaluate()
                if self.step % cfg.save_every == 0 or self.step == cfg.max_steps:
                    self.save()

    def train_step(self, batches):
        """One optimiser step over ``grad_accum`` micro-batches; returns their mean loss."""
        cfg = self.cfg
        total = torch.zeros((), device=self.device)
        for micro in range(cfg.grad_accum):
            tokens, targets = next(batches)
            last = micro == cfg.grad_accum - 1
            sync = contextlib.nullcontext() if last or self.world.size == 1 else self.model.no_sync()
            with sync:
                with nvtx_range("forward"), autocast(enabled=self.dtype != torch.float32, dtype=self.dtype):
                    _, loss = self.model(tokens, targets)
                    loss = loss / cfg.grad_accum
                with nvtx_range("backward"):
                    self.scaler.scale(loss).backward()
            total += loss.detach()
        self.scaler.unscale_(self.optimizer)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), cfg.grad_clip)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()
        self.optimizer.zero_grad(set_to_none=True)
        return total

    def report(self, loss, seconds, memory):
        loss = mean_across_ranks(loss.item(), self.world)
        speed = Throughput(self.tokens_per_step, seconds)
        learning_rate = self.scheduler.get_last_lr()[0]
        parts = [
            f"step {self.step:5d}",
            f"loss {loss:.4f}",
            f"lr {learning_rate:.2e}",
            f"{speed.to('ktoken/s'):.1f} ktoken/s",
            f"memory {memory.cuda() / 2**20:.0f} MiB (host {memory.host() / 2**20:.0f} MiB)",
        ]
        peak = peak_flops(self.device)
        if peak:
            flops = unwrap_model(self.model).flops_per_token() * speed.to("token/s") / self.world.size
            parts.append(f"mfu {100 * flops / peak:.1f}%")
        if self.monitor:
            parts.append(self.monitor.sample())
        self.log(" | ".join(parts))
        if self.writer:
            self.writer.add_scalar("loss/train", loss, self.step)
            self.writer.add_scalar("lr", learning_rate, self.step)

    def evaluate(self):
        release_memory()
        loss = estimate_loss(self.model, self.val_loader, self.device, self.dtype, self.cfg.eval_batches)
        loss = mean_across_ranks(loss, self.world)
        self.log(f"step {self.step:5d} | validation loss {loss:.4f}")
        if self.writer:
            self.writer.add_scalar("loss/val", loss, self.step)

    def save(self):
        if self.world.is_main:
            state = (self.model, self.optimizer, self.scheduler, self.scaler, self.step)
            save_checkpoint(self.checkpoint_path, *state)
            self.log(f"step {self.step:5d} | saved {self.checkpoint_path}")

    def resume(self):
        state = (self.model, self.optimizer, self.scheduler, self.scaler)
        self.step = resume_training(self.checkpoint_path, *state, self.world)
        self.log(f"resumed {self.checkpoint_path} at step {self.step}")


def main():
    args = parse_args()
    cfg = configure(args)
    world = init_distributed(cfg.train.device, cfg.train.backend)
    seed_everything(cfg.train.seed + world.rank)
    setup_backends(world.device)
    trainer = Trainer(cfg, world)
    trainer.log(f"{world.size} process(es) on {describe_device(world.device)}")
    trainer.log(f"{unwrap_model(trainer.model).num_parameters() / 1e6:.2f} M parameters")
    if args.resume:
        trainer.resume()
    elif args.init_from:
        warm_start(args.init_from, trainer.model, world.local_rank)
    try:
        trainer.run()
    finally:
        shutdown()


if __name__ == "__main__":
    main()
