"""Which checks the ordinary run makes where, and which only --all: two cores, minutes."""

from families import number_of_experts

DIST_FAMILIES = ("llama", "qwen2 tied", "qwen3", "qwen3 moe", "qwen3 moe mixed", "qwen3 next", "deepseek v3", "deepseek v2 lite")
# What models with experts do besides the topologies that deal experts out: the rest is as in dense models.
EXPERT_TOPOLOGIES = ("tp1 pp1", "tp2 pp2", "tp1 pp2 vpp1")
# Whose layers are those of other rows, but for names, biases or the order of axes.
FAMILIES_IN_SHORT = ("glm 4.7 flash", "qwen3.5", "qwen3.5 moe", "exaone moe", "smollm3", "llama4", "starcoder2", "gpt2", "gpt_bigcode heads", "gpt_bigcode", "opt")
TOPOLOGIES_IN_SHORT = ("tp1 pp1", "tp2 pp2", "tp2 pp1 ep2 etp1")
# An older release differs in names and in what it has, which shows at any topology.
TOPOLOGIES_OF_OLDER = (*TOPOLOGIES_IN_SHORT, "tp1 pp2 vpp1")
DIST_TARGETS = ("tp1 pp1", "tp2 pp1", "tp1 pp2 vpp1")


class Plan:
    def __init__(self, everything, newest):
        self.everything = everything
        self.newest = newest

    def takes(self, case, topology):
        """Whether a family is tried at a topology whose sizes it fits."""
        dense = number_of_experts(case.config) == 0
        # Megatron has biases in experts only when they are whole.
        if not dense and case.description["transformer"].get("add_bias_linear") and (topology.expert_tensor or topology.tensor) > 1:
            return False
        if not self.everything and case.family in FAMILIES_IN_SHORT:
            return self.newest and str(topology) in TOPOLOGIES_IN_SHORT
        if not self.everything and not self.newest:
            return str(topology) in TOPOLOGIES_OF_OLDER
        return self.everything or dense or topology.expert > 1 or str(topology) in EXPERT_TOPOLOGIES

    def flavours(self, topology):
        """What to save of a loaded model at this topology."""
        return ("plain", "training") if self.everything or topology.world == 2 else ("plain",)

    def pads(self, case, topology):
        return self.everything or str(topology) == "tp2 pp1"

    def fused_norms(self, topology):
        return self.everything or str(topology) == "tp2 pp1"

    def sensitivity(self, case, topology):
        return topology.world == 1 and case.family == "llama"

    def reshapes(self, converted):
        """Pairs of topologies: a chain that visits each; with --all also backwards, and in steps of three."""
        if len(converted) < 2:
            return []
        steps = (1, -1, 3) if self.everything else (1,)
        count = len(converted)
        pairs = [(converted[i], converted[(i + step) % count]) for step in steps for i in range(count)]
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))

    def dist(self, case):
        return self.everything or case.family in DIST_FAMILIES

    def dist_targets(self, before, converted):
        """Topologies that are to load a torch_dist checkpoint written at another: all, or some that differ in each way."""
        others = [topology for topology in converted if topology != before]
        return others if self.everything else [topology for topology in others if str(topology) in DIST_TARGETS]
