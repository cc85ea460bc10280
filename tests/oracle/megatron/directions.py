"""The checks, one function per way that a model can go. `case` is one family with its checkpoint and its logits."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import torch

import parameter_order
import tiny_models
import training_files
from gpt_builder import MISTAKES
from rank_pool import RankError
from results import MOST

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import run, tool  # noqa: E402
from checkpoints import megatron_directory, megatron_files  # noqa: E402

ITERATION = 3

torch.serialization.add_safe_globals([argparse.Namespace])


@dataclass
class Case:
    """A family at work: its Hugging Face directory and what transformers makes of it."""

    family: str
    work: Path
    hf: Path
    config: dict
    description: dict
    ids: torch.Tensor
    logits: torch.Tensor
    tensors: dict

    def path(self, topology, what):
        return self.work / f"{self.family.replace(' ', '_')}_{topology.slug}_{what}"


class Directions:
    def __init__(self, release, results, pool):
        """`release`: the version of megatron-core that reads what the converter writes."""
        self.results, self.pool = results, pool
        # For Megatron itself; without it the converter writes for MindSpeed-LLM, which differs in trifles.
        self.for_megatron = ["--target", f"mcore@{release}"]

    def own_names(self, case):
        """Whether MindSpeed-LLM's attention has names of its own, so that those of Megatron are needed."""
        return bool({"kv_lora_rank", "linear_num_key_heads"} & set(case.config))

    def layout(self, case, topology):
        """The converter's options."""
        return [*topology.options(), *([*self.for_megatron, "--transformer-impl", "local"] if self.own_names(case) else [])]

    def convert(self, case, topology, what, source, target, *options):
        """Runs the converter; False and a noted failure if it does not succeed."""
        done = run(tool("ckpt_convert"), "--quiet", "--load-dir", source, "--save-dir", target, *options)
        if done.returncode != 0:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            self.results.failed(case.family, topology, what, f"ckpt_convert ended with {done.returncode}: {' / '.join(said[-3:])}")
        return done.returncode == 0

    def on_ranks(self, case, topology, what, *steps):
        """Runs commands on all ranks; the answers of each, or None and a noted failure."""
        try:
            self.pool.start(topology)
            return [self.pool.call(command, **arguments) for command, arguments in steps]
        except RankError as problem:
            self.results.failed(case.family, topology, what, problem)
            return None

    def compute(self, case, topology, what, load, padded_vocab=None, **arguments):
        """Builds the model on all ranks, loads it with the command `load`, runs it; the answers of each of the three."""
        return self.on_ranks(case, topology, what, ("build", {"description": case.description, "padded_vocab": padded_vocab}),
                             (load, arguments), ("forward", {"ids": case.ids}))

    def to_megatron(self, case, topology):
        """Hugging Face -> our converter -> strict load in Megatron, which then computes what transformers does."""
        what, target = "hf -> mcore", case.path(topology, "mcore")
        if not self.convert(case, topology, what, case.hf, target, *self.layout(case, topology)):
            return None
        answers = self.compute(case, topology, what, "load_files", directory=str(megatron_directory(target)[0]))
        if answers is None:
            return None
        self.results.rank_logits(case.family, topology, what, answers[-1], case.logits)
        for rank, (stated, names) in enumerate(zip(answers[1], self.pool.call("parameter_names"))):
            self.results.checks.expect(all(map(parameter_order.is_sorted, names)), f"{case.family}, {topology}, rank {rank}: {names}")
            self.check_arguments(f"{case.family}, {topology}, rank {rank}", case, topology, stated)
        return target

    def fused_norms(self, case, topology):
        """The same with the names of TransformerEngine, which needs a GPU: Megatron itself says which norm is which."""
        what, target = "hf -> mcore (TE names)", case.path(topology, "mcore_te")
        options = [*topology.options(), "--transformer-impl", "transformer_engine", *self.for_megatron]
        if not self.convert(case, topology, what, case.hf, target, *options):
            return
        answers = self.compute(case, topology, what, "load_files", directory=str(megatron_directory(target)[0]), fused_norms=True)
        if answers is not None:
            self.results.rank_logits(case.family, topology, what, answers[-1], case.logits)

    def sensitivity(self, case, topology):
        """That equal logits mean something: small mistakes in the first layer show."""
        source = megatron_directory(case.path(topology, "mcore"))[0]
        for kind in MISTAKES:
            steps = [("load_files", {"directory": str(source)}), ("disturb", {"kind": kind}), ("forward", {"ids": case.ids})]
            answers = self.on_ranks(case, topology, kind, *steps)
            if answers is not None:
                difference = (answers[-1][-1] - case.logits).abs().max().item()
                seen = self.results.checks.expect(difference > 100 * MOST, f"{case.family}, {topology}: {kind}: not seen, {difference}")
                self.results.row(case.family, topology, kind, f"{difference:9.2g}  {'seen' if seen else 'NOT SEEN'}")

    def check_arguments(self, name, case, topology, stated):
        """The arguments beside the weights describe the model that was built."""
        wanted = training_files.arguments(case.description, topology, 0, "plain")
        for key in ("num_layers", "hidden_size", "ffn_hidden_size", "num_attention_heads", "num_query_groups", "kv_channels",
                    "rotary_base", "rotary_percent", "norm_epsilon", "normalization", "swiglu", "add_bias_linear", "add_qkv_bias",
                    "qk_layernorm", "untie_embeddings_and_output_weights", "padded_vocab_size", "position_embedding_type",
                    "rotary_interleaved", "tensor_model_parallel_size", "pipeline_model_parallel_size",
                    "virtual_pipeline_model_parallel_size", "expert_model_parallel_size", "expert_tensor_parallel_size",
                    "num_experts", "world_size", "data_parallel_size"):
            self.results.checks.equal(stated.get(key), getattr(wanted, key), f"{name}: args.{key}")

    def to_hf(self, case, topology, flavour):
        """What Megatron saves of the model that to_megatron() has left on the ranks -> our converter -> transformers."""
        what = f"mcore -> hf ({flavour})"
        saved, back = case.path(topology, f"saved_{flavour}"), case.path(topology, f"back_{flavour}")
        saved.mkdir()
        if self.on_ranks(case, topology, what, ("save_files", {"directory": str(saved), "description": case.description,
                                                              "iteration": ITERATION, "flavour": flavour})) is None:
            return
        training_files.write_tracker(saved, ITERATION)
        if self.convert(case, topology, what, saved, back, "--hf-cfg-dir", case.hf):
            self.compare_hf(case, topology, what, back)

    def compare_hf(self, case, topology, what, directory):
        """transformers misses nothing in a directory, the bits are those of the original, and so are the logits."""
        name = f"{case.family}, {topology}, {what}"
        self.results.same_tensors(name, tiny_models.tensors(directory), case.tensors)
        model, notes = tiny_models.load(directory)
        for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
            self.results.checks.equal(sorted(notes.get(kind, [])), [], f"{name}: {kind} in transformers")
        self.results.logits(case.family, topology, what, tiny_models.logits(model, case.ids), case.logits)

    def padded(self, case, topology):
        """A vocabulary padded to a multiple of 128 * TP, as Megatron trains it: added by our converter, and taken off."""
        what, rows = "hf -> mcore, padded", 128 * topology.tensor
        target, saved, back = (case.path(topology, name) for name in ("padded", "saved_padded", "back_padded"))
        if not self.convert(case, topology, what, case.hf, target, *self.layout(case, topology), "--make-vocab-size-divisible-by", 128):
            return
        answers = self.compute(case, topology, what, "load_files", padded_vocab=rows, directory=str(megatron_directory(target)[0]))
        if answers is None:
            return
        self.padded_logits(case, topology, what, answers[-1])
        self.results.checks.equal(answers[1][0].get("padded_vocab_size"), rows, f"{case.family}, {topology}, {what}: args")
        what = "mcore -> hf, padded"
        description = {**case.description, "padded_vocab": rows}
        saved.mkdir()
        if self.on_ranks(case, topology, what, ("save_files", {"directory": str(saved), "description": description,
                                                              "iteration": ITERATION, "flavour": "plain"})) is None:
            return
        training_files.write_tracker(saved, ITERATION)
        if self.convert(case, topology, what, saved, back, "--hf-cfg-dir", case.hf):
            self.compare_hf(case, topology, what, back)

    def padded_logits(self, case, topology, what, answers):
        """The logits of the tokens that exist."""
        cut = [None if found is None else found[..., :case.logits.shape[-1]].contiguous() for found in answers]
        self.results.rank_logits(case.family, topology, what, cut, case.logits)

    def reshape(self, case, before, after, kind="mcore"):
        """Megatron -> Megatron of another topology: the same as straight from Hugging Face.

        `kind` says which checkpoint is taken: our own, or one that Megatron saved, which has no config.json beside it.
        """
        what = f"from {before}" if kind == "mcore" else f"from {before}, {kind}"
        target = case.path(after, f"from_{before.slug}_{kind}")
        config = [] if kind == "mcore" else ["--hf-cfg-dir", case.hf]
        if not self.convert(case, after, what, case.path(before, kind), target, "--save-model-type", "mg", *self.layout(case, after), *config):
            return
        found, wanted = (megatron_files(root) for root in (target, case.path(after, "mcore")))
        name = f"{case.family}, {after}, {what}"
        self.results.checks.equal(sorted(found), sorted(wanted), f"{name}: files")
        failures = len(self.results.checks.failures)
        for rank in sorted(set(found) & set(wanted)):
            one, other = (torch.load(files[rank], weights_only=True) for files in (found, wanted))
            for key in ("tensor_model_parallel_size", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size"):
                self.results.checks.equal(getattr(one["args"], key, None), getattr(other["args"], key, None),
                                          f"{name}/{rank}: args.{key}")
            models = sorted(key for key in other if key.startswith("model"))
            self.results.checks.equal(sorted(key for key in one if key.startswith("model")), models, f"{name}/{rank}: chunks")
            for key in set(models) & set(one):
                self.results.same_tensors(f"{name}/{rank}/{key}", one[key], other[key])
        same = len(self.results.checks.failures) == failures
        self.results.row(case.family, after, what, "same bits" if same else "   FAILED")
