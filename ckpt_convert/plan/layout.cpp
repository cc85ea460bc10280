#include "ckpt_convert/plan/layout.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/composer.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

std::string filled(std::string name, std::string_view capture, std::string_view value) {
    std::string placeholder = base::format("{{{}}}", capture);
    for (std::size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder, at)) {
        name.replace(at, placeholder.size(), value);
        at += value.size();
    }
    return name;
}

Result<std::uint64_t> rounds_of(const StoredRule& rule, const Expression::Lookup& lookup) {
    if (!rule.interleave) return std::uint64_t{1};
    TRY_ASSIGN(std::int64_t rounds, rule.interleave->evaluate(lookup));
    // Far beyond any model; keeps a corrupt config from using all memory.
    constexpr std::int64_t kMaxRounds = 1 << 16;
    if (rounds < 1 || rounds > kMaxRounds)
        return base::fail(ErrorKind::bad_input, base::format("\"{}\" is {}", rule.interleave->text(), rounds));
    return static_cast<std::uint64_t>(rounds);
}

// The rules of one side that hold for this model and dialect.
Result<std::vector<ActiveRule>> active_rules(const std::vector<StoredRule>& rules, const Expression::Lookup& lookup,
                                             const Dialect& dialect, KvSharing sharing) {
    std::vector<ActiveRule> out;
    for (const StoredRule& rule : rules) {
        const std::string* name = rule.name(dialect);
        TRY_ASSIGN(bool active, holds(rule.when, lookup));
        if (name == nullptr || !active) continue;
        ActiveRule entry{&rule, *name, 1, 0, sharing};
        TRY_ASSIGN(entry.rounds, rounds_of(rule, lookup));
        if (rule.pad) {
            TRY_ASSIGN(std::int64_t rows, rule.pad->evaluate(lookup));
            entry.padded_rows = static_cast<std::uint64_t>(rows);
        }
        out.push_back(std::move(entry));
    }
    return out;
}

// One rank's chunk: the tensors of the first stage, of its layers, of the last stage.
struct Chunk {
    std::uint32_t file = 0;
    std::string prefix;  // "model/", "model1/"
    const std::vector<LayerSlot>* slots = nullptr;
    bool first = false;
    bool last = false;
    Share share;
};

Status add_chunk(Layout& layout, const Model& model, const std::vector<ActiveRule>& rules, const Chunk& chunk) {
    auto add = [&](const ActiveRule& active, LayerSlot slot) -> Status {
        TRY_ASSIGN(LayoutTensor tensor, compose(model, active, chunk.share, slot.layer));
        tensor.name = chunk.prefix + filled(active.name, "local_layer", std::to_string(slot.local));
        tensor.file = chunk.file;
        layout.tensors.push_back(std::move(tensor));
        return {};
    };
    for (const auto& active : rules) {
        if (active.rule->stage == Stage::first && chunk.first) TRY(add(active, {}));
    }
    for (const LayerSlot& slot : *chunk.slots) {
        for (const auto& active : rules) {
            if (active.rule->stage == Stage::layer) TRY(add(active, slot));
        }
    }
    for (const auto& active : rules) {
        if (active.rule->stage == Stage::last && chunk.last) TRY(add(active, {}));
    }
    return {};
}

}  // namespace

ModelValues layout_facts(const Model& model, const ParallelLayout& layout) {
    auto value = [&](std::string_view name) {
        auto found = model.values().find(name);
        return found == model.values().end() ? std::int64_t{0} : found->second;
    };
    bool repeated = layout.kv_sharing == KvSharing::repeat && layout.tp > value("kv_groups");
    return {
        {"tp", layout.tp},
        {"pp", layout.placement.pp()},
        {"vpp", layout.placement.chunks()},
        {"slots", layout.placement.slots},
        {"padded_vocab", layout.padded_vocab == 0 ? value("vocab") : static_cast<std::int64_t>(layout.padded_vocab)},
        {"stored_kv_groups", repeated ? layout.tp : value("kv_groups")}};
}

Result<Layout> hf_layout(const Model& model, const std::string& prefix, std::uint64_t vocab_rows) {
    ParallelLayout whole;
    whole.placement.stages = {{{}}};
    whole.padded_vocab = vocab_rows;
    auto facts = layout_facts(model, whole);
    TRY_ASSIGN(auto rules, active_rules(model.mapping().hf, lookup_in(model.values(), facts), {}, KvSharing::refuse));
    Layout layout;
    auto add = [&](const ActiveRule& active, std::uint32_t layer) -> Status {
        TRY_ASSIGN(LayoutTensor tensor, compose(model, active, {}, layer));
        tensor.name = filled(filled(active.name, "layer", std::to_string(layer)), "prefix", prefix);
        layout.tensors.push_back(std::move(tensor));
        return {};
    };
    for (Stage stage : {Stage::first, Stage::layer, Stage::last}) {
        std::uint32_t repeats = stage == Stage::layer ? model.layers() : 1;
        for (std::uint32_t layer = 0; layer < repeats; ++layer) {
            for (const auto& active : rules) {
                if (active.rule->stage == stage) TRY(add(active, layer));
            }
        }
    }
    return layout;
}

Result<Layout> mcore_layout(const Model& model, const ParallelLayout& parallel) {
    const Placement& placement = parallel.placement;
    auto facts = layout_facts(model, parallel);
    TRY_ASSIGN(auto rules, active_rules(model.mapping().mcore, lookup_in(model.values(), facts), parallel.dialect,
                                        parallel.kv_sharing));
    Layout layout;
    layout.by_file = !parallel.dialect.torch_dist;
    auto pp = static_cast<std::uint32_t>(placement.pp()), tp = static_cast<std::uint32_t>(parallel.tp);
    for (std::uint32_t stage = 0; stage < pp; ++stage) {
        for (std::uint32_t rank = 0; rank < tp; ++rank) {
            for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
                Chunk part{stage * tp + rank,
                           chunk_key(placement.virtual_stages, chunk) + "/",
                           &placement.stages[stage][chunk],
                           stage == 0 && chunk == 0,
                           placement.head == ChunkPosition{stage, chunk},
                           {tp, rank}};
                TRY(add_chunk(layout, model, rules, part));
            }
        }
    }
    return layout;
}

}  // namespace ckpt
