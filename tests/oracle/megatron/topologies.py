"""The ways to split a model over ranks that the suite tries, in our converter's words and in Megatron's."""

import math
from dataclasses import dataclass

from families import number_of_experts


@dataclass(frozen=True)
class Topology:
    tensor: int = 1
    pipeline: int = 1
    per_chunk: int | None = None  # layers of each virtual pipeline stage
    layer_list: tuple = ()  # layers of each pipeline stage, where they differ
    expert: int = 1  # ranks among which the experts are dealt out; each group of them sees the same input here
    expert_tensor: int | None = None  # ranks that share an expert; None: as many as share the rest
    account: bool = False  # embedding and loss count as a layer each when the stages are made
    layout: str = ""  # stages in Megatron's notation
    split_groups: bool = False  # more tensor-parallel ranks than KV groups: each rank gets a part of a group

    @property
    def world(self):
        return self.pipeline * self.stage_size

    @property
    def stage_size(self):
        """Ranks of one pipeline stage; they have consecutive numbers, tensor-parallel ones fastest."""
        return math.lcm(self.tensor, (self.expert_tensor or self.tensor) * self.expert)

    def __str__(self):
        name = f"tp{self.tensor} pp{self.pipeline}"
        if self.per_chunk:
            name += f" vpp{self.per_chunk}"
        if self.layer_list:
            name += " " + "+".join(map(str, self.layer_list))
        if self.expert > 1:
            name += f" ep{self.expert}"
        if self.expert_tensor:
            name += f" etp{self.expert_tensor}"
        if self.account:
            name += " account"
        if self.layout:
            name += " " + self.layout
        if self.split_groups:
            name += " split"
        return name

    @property
    def slug(self):
        return str(self).replace(" ", "_").replace("+", "-").replace("|", "I")

    def options(self):
        """The converter's options."""
        given = ["--tp", self.tensor, "--pp", self.pipeline]
        if self.per_chunk:
            given += ["--num-layers-per-virtual-pipeline-stage", self.per_chunk]
        if self.layer_list:
            given += ["--num-layer-list", ",".join(map(str, self.layer_list))]
        if self.expert > 1:
            given += ["--target-expert-parallel-size", self.expert]
        if self.expert_tensor:
            given += ["--expert-tensor-parallel-size", self.expert_tensor]
        if self.account:
            given += ["--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"]
        if self.layout:
            given += ["--pipeline-model-parallel-layout", self.layout]
        if self.split_groups:
            given += ["--tp-beyond-kv-groups", "split"]
        return given

    def since(self):
        """The release of megatron-core that has this first."""
        return (0, 16) if self.layout or self.split_groups else (0, 12)

    def chunks(self, layers):
        """Model chunks of each rank; None without virtual pipeline, where Megatron names the only one otherwise."""
        if self.layout:
            stages = self.layout.count("|") + 1
            return stages // self.pipeline if stages > self.pipeline else None
        return layers // (self.pipeline * self.per_chunk) if self.per_chunk else None

    def uneven(self):
        """How Megatron says it: the layers of the first and of the last stage, None where the rest is shared evenly."""
        if not self.layer_list:
            return None, None
        first, *middle, last = self.layer_list
        assert len(self.layer_list) == self.pipeline and len(set(middle)) <= 1, "Megatron shares the middle stages evenly"
        # With two stages one number says all; with both given Megatron would divide by no stages.
        return first, last if middle else None

    def rank_directory(self, tensor_rank, pipeline_rank, expert_rank):
        """Megatron's name: a number appears where its kind of parallelism is used."""
        name = f"mp_rank_{tensor_rank:02d}"
        if self.pipeline > 1:
            name += f"_{pipeline_rank:03d}"
        return name + (f"_{expert_rank:03d}" if self.expert > 1 else "")

    def fits(self, config):
        """Whether the sizes of a model allow this topology in every release of megatron-core that is tried."""
        layers, stages = config["num_hidden_layers"], self.pipeline * (self.per_chunk or 1)
        if "block_configs" in config and self.chunks(layers):
            return False  # Megatron makes layers that differ without virtual stages.
        if self.expert > 1 and (number_of_experts(config) == 0 or number_of_experts(config) % self.expert):
            return False
        groups, heads = config["num_key_value_heads"], config["num_attention_heads"]
        if self.split_groups != (groups < self.tensor) or max(groups, self.tensor) % min(groups, self.tensor) or heads % self.tensor:
            return False
        return bool(self.layer_list or self.layout or self.account) or layers % stages == 0


QUICK = (
    Topology(1, 1),
    Topology(2, 1),
    Topology(4, 1),
    Topology(1, 2),
    Topology(2, 2),
    Topology(1, 2, per_chunk=1),
    Topology(1, 2, layer_list=(1, 3)),
    Topology(1, 1, expert=2),
    Topology(2, 1, expert=2),
    Topology(2, 1, expert=2, expert_tensor=1),
    Topology(1, 2, expert=2),
    Topology(1, 3, account=True),
    Topology(1, 2, layout="E|t|tt|tL"),
    Topology(4, 1, split_groups=True),
)

MORE = (
    Topology(1, 4),
    Topology(2, 2, per_chunk=1),
    Topology(2, 2, layer_list=(3, 1)),
    Topology(1, 3, layer_list=(1, 2, 1)),
    Topology(2, 2, expert=2),
    Topology(1, 1, expert=4),
    Topology(4, 1, expert=2, expert_tensor=2),
)
