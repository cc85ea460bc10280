#include "ckpt_convert/plan/layout.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

// Which part of the stored tensor a rank gets; {1, 0} is all of it.
struct Share {
    std::uint64_t count = 1;
    std::uint64_t index = 0;
};

std::string filled(std::string name, std::string_view capture, std::uint32_t number) {
    std::string placeholder = base::format("{{{}}}", capture);
    for (std::size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder)) {
        name.replace(at, placeholder.size(), std::to_string(number));
    }
    return name;
}

// Builds a stored tensor from its weights: in `rounds` rounds, a share of each weight in turn along `axis`.
class Composer {
public:
    Composer(const Model& model, const StoredRule& rule, std::uint64_t rounds, Share share)
        : model_(model), rule_(rule), rounds_(rounds), share_(share) {}

    Result<LayoutTensor> compose(std::uint32_t layer) {
        for (const std::string& weight : rule_.weights) {
            auto id = model_.tensor(weight, layer);
            if (!id)
                return base::fail(ErrorKind::rule_data,
                                  base::format("\"{}\" is stored, but the model does not have it", weight),
                                  model_.mapping().origin);
            ids_.push_back(*id);
        }
        auto axis = static_cast<std::size_t>(rule_.axis);
        LayoutTensor out;
        out.optional = rule_.optional;
        out.shape = model_.tensors()[ids_[0]].shape;
        out.shape[axis] = 0;
        bool shard_rounds = share_.count > 1 && rule_.shard == rule_.axis && rounds_ > 1;
        if (shard_rounds) TRY(require_divisible(rounds_, rule_.interleave->text()));
        std::uint64_t first = shard_rounds ? rounds_ / share_.count * share_.index : 0;
        std::uint64_t last = shard_rounds ? first + rounds_ / share_.count : rounds_;
        for (std::uint64_t round = first; round < last; ++round) {
            for (std::uint32_t id : ids_) TRY(add(out, id, round, shard_rounds));
        }
        return out;
    }

private:
    // Appends one weight's share of a round.
    Status add(LayoutTensor& out, std::uint32_t id, std::uint64_t round, bool rounds_are_sharded) {
        auto axis = static_cast<std::size_t>(rule_.axis);
        const LogicalTensor& logical = model_.tensors()[id];
        Piece piece{id, Shape(logical.shape.size(), 0), Shape(logical.shape.size(), 0), logical.shape};
        if (piece.extent[axis] % rounds_ != 0) {
            return base::fail(ErrorKind::bad_input, base::format("{} has {} rows, which do not divide into {} rounds",
                                                                 logical.name, piece.extent[axis], rounds_));
        }
        piece.extent[axis] /= rounds_;
        piece.in_logical[axis] = piece.extent[axis] * round;
        if (rule_.shard && share_.count > 1 && !rounds_are_sharded) {
            auto shard = static_cast<std::size_t>(*rule_.shard);
            TRY(require_divisible(piece.extent[shard], size_name(id, shard)));
            piece.extent[shard] /= share_.count;
            piece.in_logical[shard] += piece.extent[shard] * share_.index;
        }
        piece.in_stored[axis] = out.shape[axis];
        out.shape[axis] += piece.extent[axis];
        for (std::size_t i = 0; i < out.shape.size(); ++i) {
            if (i != axis) out.shape[i] = piece.extent[i];
        }
        out.pieces.push_back(std::move(piece));
        return {};
    }

    // What the mapping calls the size of an axis: "vocab", "heads * head_dim".
    std::string size_name(std::uint32_t id, std::size_t axis) const {
        auto position = static_cast<std::size_t>(std::find(ids_.begin(), ids_.end(), id) - ids_.begin());
        for (const WeightRule& weight : model_.mapping().weights) {
            if (weight.name == rule_.weights[position]) return weight.shape[axis].text();
        }
        return model_.tensors()[id].name;
    }

    Status require_divisible(std::uint64_t size, const std::string& what) const {
        if (size % share_.count == 0) return {};
        std::vector<std::uint64_t> fitting;
        for (std::uint64_t i = 1; i <= size && i <= 64; i *= 2) {
            if (size % i == 0) fitting.push_back(i);
        }
        return base::fail(ErrorKind::usage,
                          base::format("TP {} does not divide {} ({}) of a {} model; possible sizes are {}",
                                       share_.count, what, size, model_.mapping().family, base::joined(fitting, ", ")));
    }

    const Model& model_;
    const StoredRule& rule_;
    std::uint64_t rounds_;
    Share share_;
    std::vector<std::uint32_t> ids_;
};

Result<std::uint64_t> rounds_of(const StoredRule& rule, const Expression::Lookup& lookup) {
    if (!rule.interleave) return std::uint64_t{1};
    TRY_ASSIGN(std::int64_t rounds, rule.interleave->evaluate(lookup));
    // Far beyond any model; keeps a corrupt config from using all memory.
    constexpr std::int64_t kMaxRounds = 1 << 16;
    if (rounds < 1 || rounds > kMaxRounds)
        return base::fail(ErrorKind::bad_input, base::format("\"{}\" is {}", rule.interleave->text(), rounds));
    return static_cast<std::uint64_t>(rounds);
}

// The rules of one side that hold for this model, with the rounds of each worked out.
struct ActiveRule {
    const StoredRule* rule;
    std::uint64_t rounds;
};

Result<std::vector<ActiveRule>> active_rules(const std::vector<StoredRule>& rules, const Expression::Lookup& lookup) {
    std::vector<ActiveRule> out;
    for (const StoredRule& rule : rules) {
        TRY_ASSIGN(bool active, holds(rule.when, lookup));
        if (!active) continue;
        TRY_ASSIGN(std::uint64_t rounds, rounds_of(rule, lookup));
        out.push_back({&rule, rounds});
    }
    return out;
}

// One rank's chunk: the tensors of the first stage, of its layers, of the last stage.
struct Chunk {
    std::uint32_t file;
    std::string key;
    const std::vector<LayerSlot>* slots;
    bool first;
    bool last;
    Share share;
};

Status add_chunk(Layout& layout, const Model& model, const std::vector<ActiveRule>& rules, const Chunk& chunk,
                 const std::string& dialect) {
    auto add = [&](const ActiveRule& active, LayerSlot slot) -> Status {
        TRY_ASSIGN(LayoutTensor tensor, Composer(model, *active.rule, active.rounds, chunk.share).compose(slot.layer));
        tensor.name = chunk.key + "/" + filled(active.rule->name(dialect), "local_layer", slot.local);
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

std::uint64_t Box::elements() const { return checked_elements(extent).value_or(0); }

Result<Layout> hf_layout(const Model& model) {
    TRY_ASSIGN(auto rules, active_rules(model.mapping().hf, lookup_in(model.values())));
    Layout layout;
    auto add = [&](const ActiveRule& active, std::uint32_t layer) -> Status {
        TRY_ASSIGN(LayoutTensor tensor, Composer(model, *active.rule, active.rounds, {}).compose(layer));
        tensor.name = filled(active.rule->name(""), "layer", layer);
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

Result<Layout> mcore_layout(const Model& model, const Placement& placement, int tp, const std::string& dialect) {
    int pp = placement.pp();
    ModelValues parallel{{"tp", tp}, {"pp", pp}, {"vpp", placement.chunks()}};
    TRY_ASSIGN(auto rules, active_rules(model.mapping().mcore, lookup_in(model.values(), parallel)));
    Layout layout;
    for (int stage = 0; stage < pp; ++stage) {
        for (int rank = 0; rank < tp; ++rank) {
            for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
                Chunk part{static_cast<std::uint32_t>(stage * tp + rank),
                           chunk_key(placement.virtual_stages, chunk),
                           &placement.stages[static_cast<std::size_t>(stage)][chunk],
                           stage == 0 && chunk == 0,
                           stage == pp - 1 && chunk == placement.chunks() - 1,
                           {static_cast<std::uint64_t>(tp), static_cast<std::uint64_t>(rank)}};
                TRY(add_chunk(layout, model, rules, part, dialect));
            }
        }
    }
    return layout;
}

}  // namespace ckpt
