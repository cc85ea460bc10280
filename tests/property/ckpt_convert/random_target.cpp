#include "tests/property/ckpt_convert/random_target.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/format.h"

namespace test {
namespace {

using ckpt::ConvertOptions;
using ckpt::Topology;

using Numbers = std::vector<std::uint32_t>;

int value(const ckpt::Model& model, std::string_view name) {
    const auto found = model.values().find(name);
    REQUIRE_MESSAGE(found != model.values().end(), name);
    return static_cast<int>(found->second);
}

void choose_tp(Topology& topology, const ckpt::Model& model, Random& random) {
    int heads = value(model, "heads"), groups = value(model, "kv_groups"), ffn = value(model, "ffn");
    std::vector<int> fitting;
    for (int tp : {1, 2, 3, 4, 6, 8}) {
        bool groups_fit = groups % tp == 0 || tp % groups == 0;
        if (heads % tp == 0 && ffn % tp == 0 && groups_fit) fitting.push_back(tp);
    }
    topology.tp = random.pick(fitting);
    if (topology.tp <= groups) return;
    int rows = (heads + 2 * groups) * value(model, "head_dim");
    bool split = rows % topology.tp == 0 && random.one_in(2);
    // A norm over all keys is split like them.
    auto norm = model.tensor("attention.k_norm", 0);
    if (norm && model.tensors()[*norm].shape[0] % static_cast<std::uint64_t>(topology.tp) != 0) split = false;
    topology.kv_sharing = split ? ckpt::KvSharing::split : ckpt::KvSharing::repeat;
}

Numbers divisors(std::uint32_t number) {
    Numbers out;
    for (std::uint32_t i = 1; i <= number; ++i) {
        if (number % i == 0) out.push_back(i);
    }
    return out;
}

// `parts` numbers that sum up to `sum`; 0 is among them now and then.
Numbers random_parts(std::uint32_t sum, std::uint32_t parts, Random& random) {
    Numbers out(parts, 0);
    for (std::uint32_t i = 0; i < sum; ++i) ++out[random.below(parts)];
    return out;
}

void even_stages(Topology& topology, std::uint32_t slots, Random& random) {
    auto pp = random.pick(divisors(slots));
    topology.pp = static_cast<int>(pp);
    auto chunks = random.pick(divisors(slots / pp));
    if (random.one_in(2)) topology.virtual_stages = chunks;
    else if (chunks > 1) topology.layers_per_virtual_stage = slots / pp / chunks;
}

void listed_stages(Topology& topology, std::uint32_t layers, Random& random) {
    auto pp = random.between(1, layers);
    topology.pp = static_cast<int>(pp);
    topology.layers_per_stage = random_parts(layers, pp, random);
}

void first_and_last_stage(Topology& topology, std::uint32_t layers, Random& random) {
    // Chosen from the middle outwards, so that everything divides.
    std::uint32_t chunks = random.between(1, 2), between = random.between(0, 2), each = 0;
    if (between > 0) each = random.below(layers / between / chunks + 1) * chunks;
    std::uint32_t rest = layers - between * each, first = rest, last = 0;
    bool both = random.one_in(2);
    if (both) {
        first = random.below(rest / chunks + 1) * chunks;
        last = rest - first;
    }
    if (first % chunks != 0 || last % chunks != 0) chunks = 1;
    if (both || random.one_in(2)) topology.first_stage_layers = first;
    else topology.last_stage_layers = first;
    if (both) topology.last_stage_layers = last;
    topology.pp = static_cast<int>(between + 1 + both);
    topology.virtual_stages = chunks == 1 ? 0 : chunks;
}

void counted_stages(Topology& topology, std::uint32_t layers, Random& random) {
    topology.count_embedding = random.one_in(2);
    topology.count_loss = !topology.count_embedding || random.one_in(2);
    std::uint32_t all = layers + topology.count_embedding + topology.count_loss;
    auto pp = random.pick(divisors(all));
    topology.pp = static_cast<int>(pp);
    topology.virtual_stages = random.pick(divisors(all / pp));
}

void written_stages(Topology& topology, std::uint32_t layers, Random& random) {
    auto pp = random.between(1, 3), chunks = random.between(1, 3);
    std::vector<std::string> stages;
    for (std::uint32_t stage : random_parts(layers, pp * chunks, random)) {
        if (stage == 0) stages.push_back("");
        else stages.push_back(random.one_in(2) ? std::string(stage, 't') : base::format("t*{}", stage));
    }
    topology.pp = static_cast<int>(pp);
    topology.pipeline_layout = "E" + base::joined(stages, random.one_in(3) ? ",|" : "|") + "L";
}

void noop_layers(Topology& topology, std::uint32_t layers, Random& random) {
    auto noops = random.between(1, 4);
    while (topology.noop_layers.size() < noops) {
        auto slot = random.below(layers + noops);
        auto& chosen = topology.noop_layers;
        if (std::find(chosen.begin(), chosen.end(), slot) == chosen.end()) chosen.push_back(slot);
    }
    even_stages(topology, layers + noops, random);
}

void dualpipev(Topology& topology, std::uint32_t layers, Random& random) {
    if (layers < 4 || layers % 2 != 0) return even_stages(topology, layers, random);
    auto halves = divisors(layers / 2);
    halves.erase(halves.begin());  // one rank has no pipeline
    topology.dualpipev = true;
    topology.pp = static_cast<int>(random.pick(halves));
}

void choose_stages(Topology& topology, std::uint32_t layers, Random& random) {
    using Way = void (*)(Topology&, std::uint32_t, Random&);
    constexpr Way kWays[] = {even_stages, listed_stages, first_and_last_stage, counted_stages, written_stages,
                             noop_layers, dualpipev};
    kWays[random.below(std::size(kWays))](topology, layers, random);
}

void choose_experts(ConvertOptions& options, const ckpt::Model& model, Random& random) {
    if (model.experts() == 0) return;
    ckpt::ExpertParallel& experts = options.topology.experts;
    auto tp = static_cast<std::uint32_t>(options.topology.tp);
    experts.ep = static_cast<int>(random.pick(divisors(model.experts())));
    switch (random.below(4)) {
        case 0: experts.etp = 1; break;
        case 1: experts.tp_extends_ep = model.experts() % (tp * static_cast<std::uint32_t>(experts.ep)) == 0; break;
        default: break;
    }
}

void choose_vocabulary(ConvertOptions& options, const ckpt::Model& model, Random& random) {
    auto vocab = static_cast<std::uint64_t>(value(model, "vocab")),
         tp = static_cast<std::uint64_t>(options.topology.tp);
    switch (random.below(4)) {
        case 0:
            options.vocab.rule = random.pick<std::string>({"mindspeed", "megatron", "megatron-bridge", "ms-swift"});
            break;
        case 1: options.vocab.divisor = random.between(1, 9); break;
        case 2: options.vocab.rows = ((vocab - 1) / tp + 1 + random.below(3)) * tp; break;
        default:
            if (vocab % tp != 0) options.vocab.rule = "mindspeed";
    }
    options.vocab.fill = random.pick<std::string>({"", "zero", "last-row", "mean"});
}

}  // namespace

void choose_target(ConvertOptions& options, const ckpt::Model& model, Random& random) {
    options.to = ckpt::Side::megatron;
    options.target = random.pick<std::string>({"mindspeed", "mcore", "mcore@0.14", "mcore@0.17"});
    options.layers = random.pick<std::string>({"", "local", "te"});
    options.iteration = random.pick<std::string>({"", "release", "7"});
    options.torch_dist = random.one_in(5);
    if (options.torch_dist) {
        options.max_shard_bytes = random.pick<std::uint64_t>({1000, 5'000'000});
    } else {
        choose_tp(options.topology, model, random);
        choose_stages(options.topology, model.layers(), random);
        std::string& stages =
            options.topology.pipeline_layout;  // modules for multi-token prediction come before the loss
        if (!stages.empty()) stages.insert(stages.size() - 1, model.mtp_layers(), 'm');
        choose_experts(options, model, random);
    }
    // Since 0.17 Megatron's own layers have no grouped experts.
    options.grouped_experts = options.target != "mcore@0.17" && random.one_in(2);
    options.mla_split = options.target == "mindspeed" && random.one_in(3);
    options.source.mtp_layers = model.mtp_layers();
    choose_vocabulary(options, model, random);
}

std::string text_of(const ConvertOptions& options) {
    const Topology& t = options.topology;
    auto number = [](const std::optional<std::uint32_t>& value) { return value ? std::to_string(*value) : "-"; };
    return base::format(
        "{} layers={} torch_dist={} tp={} pp={} list=[{}] first={} last={} embedding={} loss={} layout=\"{}\" "
        "per_virtual={} virtual={} dualpipev={} noops=[{}] kv={} vocab={}/{}/{}/{} "
        "ep={} etp={} extend={} grouped={} mla_split={}",
        options.target, options.layers, options.torch_dist, t.tp, t.pp, base::joined(t.layers_per_stage, ","),
        number(t.first_stage_layers), number(t.last_stage_layers), t.count_embedding, t.count_loss, t.pipeline_layout,
        t.layers_per_virtual_stage, t.virtual_stages, t.dualpipev, base::joined(t.noop_layers, ","),
        static_cast<int>(t.kv_sharing), options.vocab.rule, options.vocab.divisor.value_or(0),
        options.vocab.rows.value_or(0), options.vocab.fill, t.experts.ep, t.experts.etp, t.experts.tp_extends_ep,
        options.grouped_experts, options.mla_split);
}

}  // namespace test
