#include "ckpt_convert/plan/layout.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/rank_safetensors.h"
#include "ckpt_convert/plan/composer.h"
#include "ckpt_convert/plan/requirements.h"

namespace ckpt {
namespace {

std::string filled(std::string name, std::string_view capture, std::string_view value) {
    std::string placeholder = base::format("{{{}}}", capture);
    for (std::size_t at = name.find(placeholder); at != std::string::npos; at = name.find(placeholder, at)) {
        name.replace(at, placeholder.size(), value);
        at += value.size();
    }
    return name;
}

Result<std::uint64_t> rounds_of(const StoredRule& rule, const Expression::Lookup& lookup) {
    const Interleaved* interleaved = rule.interleaved();
    if (interleaved == nullptr) return std::uint64_t{1};
    TRY_ASSIGN(std::int64_t rounds, interleaved->rounds.evaluate(lookup));
    // Far beyond any model; keeps a corrupt config from using all memory.
    constexpr std::int64_t kMaxRounds = 1 << 16;
    if (rounds < 1 || rounds > kMaxRounds)
        return base::fail(ErrorKind::bad_input, base::format("\"{}\" is {}", interleaved->rounds.text(), rounds));
    return static_cast<std::uint64_t>(rounds);
}

// The tensors are whole, as Hugging Face has them.
ParallelLayout whole_layout(std::uint64_t vocab_rows) {
    ParallelLayout out;
    out.placement.stages = {{{}}};
    out.padded_vocab = vocab_rows;
    return out;
}

// Of each layer the rounds of the tensor; 0 where its condition does not hold or the model has none of its weights.
Result<std::vector<std::uint64_t>> rounds_by_layer(const StoredRule& rule, const Model& model,
                                                   const ModelValues& facts) {
    std::vector<std::uint64_t> out;
    for (std::uint32_t layer = 0; layer < (rule.stage == Stage::layer ? model.layers() + model.mtp_layers() : 1);
         ++layer) {
        auto lookup = rule.stage == Stage::layer ? model.lookup(layer, facts) : lookup_in(model.values(), facts);
        TRY_ASSIGN(bool present, holds(rule.when, lookup));
        present = present && std::any_of(rule.weights.begin(), rule.weights.end(), [&](const std::string& weight) {
                      return model.tensor(weight, layer).has_value();
                  });
        out.push_back(0);
        if (!present) continue;
        TRY_ASSIGN(out.back(), rounds_of(rule, lookup));
    }
    return out;
}

// The rules of one side that hold for this model and dialect.
Result<std::vector<ActiveRule>> active_rules(const std::vector<const StoredRule*>& rules, const Model& model,
                                             const ModelValues& facts, const Dialect& dialect, KvSharing sharing) {
    auto lookup = lookup_in(model.values(), facts);
    std::vector<ActiveRule> out;
    for (const StoredRule* stored : rules) {
        const StoredRule& rule = *stored;
        const std::string* name = rule.name(dialect);
        if (name == nullptr) continue;
        TRY_ASSIGN(auto rounds, rounds_by_layer(rule, model, facts));
        if (std::all_of(rounds.begin(), rounds.end(), [](std::uint64_t count) { return count == 0; })) continue;
        ActiveRule entry{&rule, *name, 0, 1, 0, sharing, std::move(rounds)};
        if (const Padded* padded = rule.padded()) {
            TRY_ASSIGN(std::int64_t rows, padded->rows.evaluate(lookup));
            entry.padded_rows = static_cast<std::uint64_t>(rows);
        }
        if (const Once* once = rule.once()) {
            TRY_ASSIGN(std::int64_t rows, once->rows.evaluate(lookup));
            if (rows < 1)
                return base::fail(ErrorKind::bad_input, base::format("\"{}\" is {}", once->rows.text(), rows));
            entry.same_rows = static_cast<std::uint64_t>(rows);
        }
        if (const Paired* paired = rule.paired()) {
            TRY_ASSIGN(std::int64_t rows, paired->rows.evaluate(lookup));
            if (rows < 1)
                return base::fail(ErrorKind::bad_input, base::format("\"{}\" is {}", paired->rows.text(), rows));
            entry.paired_rows = static_cast<std::uint64_t>(rows);
        }
        out.push_back(std::move(entry));
    }
    return out;
}

std::vector<const StoredRule*> all_of(const std::vector<StoredRule>& rules) {
    std::vector<const StoredRule*> out;
    for (const StoredRule& rule : rules) out.push_back(&rule);
    return out;
}

// Every weight of the model must have a name; what it does not use need not.
Status check_names(const Model& model, const Layout& layout, const Naming& names) {
    std::vector<bool> named(model.tensors().size(), false);
    for (const LayoutTensor& tensor : layout.tensors) {
        for (const Piece& piece : tensor.pieces) named[piece.logical] = true;
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
        const LogicalTensor& weight = model.tensors()[i];
        if (!named[i] && !weight.unused) return names.lacks(model.mapping(), weight.name);
    }
    return {};
}

// One rank's chunk: the tensors of the first stage, of its layers, of the last stage.
struct Chunk {
    std::uint32_t file = 0;
    std::string prefix;  // "model/", "model1/"
    const std::vector<LayerSlot>* slots = nullptr;
    const Dialect* dialect = nullptr;                                 // nullptr: not Megatron's
    bool first = false, norm = false, modules = false, last = false;  // see Stage
    Share share;
    ExpertShare experts;
};

class ChunkBuilder {
public:
    // `misfits`: gets what does not come out even, which is passed over then; null: it is an error.
    ChunkBuilder(const TensorSink& sink, const Model& model, const std::vector<ActiveRule>& rules, const Chunk& chunk,
                 std::set<std::string>* misfits = nullptr)
        : sink_(sink), model_(model), rules_(rules), chunk_(chunk), misfits_(misfits) {}

    Status build() {
        if (chunk_.first) TRY(add_all(Stage::first, {}));
        for (const LayerSlot& slot : *chunk_.slots) TRY(add_layer(slot));
        for (std::uint32_t i = 0; chunk_.modules && i < model_.mtp_layers(); ++i)
            TRY(add_layer({i, model_.layers() + i}));
        if (chunk_.norm) TRY(add_all(Stage::norm, {}));
        if (chunk_.last) TRY(add_all(Stage::last, {}));
        // What they share with the first stage is there already.
        return chunk_.modules && !chunk_.first ? add_all(Stage::mtp, {}) : Status();
    }

private:
    Status add_layer(LayerSlot slot) {
        TRY(add_all(Stage::layer, slot));
        for (std::uint32_t i = 0; i < chunk_.experts.count; ++i) TRY(add_expert(slot, i));
        return {};
    }

    Status add_all(Stage stage, LayerSlot slot) {
        for (const ActiveRule& active : rules_) {
            const StoredRule& rule = *active.rule;
            if (rule.stage != stage || rule.each == Each::expert || active.rounds[slot.layer] == 0) continue;
            auto tensor = rule.stacks_experts() ? compose_stack(model_, active, chunk_.experts, slot.layer)
                                                : compose(model_, active, chunk_.share, slot.layer);
            if (is_misfit(tensor)) continue;
            if (!tensor) return tl::unexpected(std::move(tensor).error());
            std::string name = counted(*tensor, active, slot.layer);
            TRY(add(std::move(*tensor), std::move(name), slot));
        }
        return {};
    }

    // Expert by expert, as most checkpoints have them.
    Status add_expert(LayerSlot slot, std::uint32_t number) {
        std::uint32_t expert = chunk_.experts.first + number;
        Share share{chunk_.experts.parts, chunk_.experts.index, kExpertTp};
        for (const ActiveRule& active : rules_) {
            if (active.rule->each != Each::expert || active.rounds[slot.layer] == 0) continue;
            auto tensor = compose(model_, active, share, slot.layer, expert);
            if (is_misfit(tensor)) continue;
            if (!tensor) return tl::unexpected(std::move(tensor).error());
            TRY(add(
                std::move(*tensor),
                filled(filled(active.name, "local_expert", std::to_string(number)), "expert", std::to_string(expert)),
                slot));
        }
        return {};
    }

    bool is_misfit(const Result<LayoutTensor>& tensor) {
        if (tensor || misfits_ == nullptr) return false;
        misfits_->insert(tensor.error().message);
        return true;
    }

    // The name with the layer's place among those that have the tensor, where the mapping asks for it.
    std::string counted(LayoutTensor& tensor, const ActiveRule& active, std::uint32_t layer) const {
        if (active.name.find(kNth) == std::string::npos) return active.name;
        if (model_.layers_apart()) return filled(active.name, "nth", std::to_string(layer));
        auto layers_before = [&](std::size_t end) {
            return static_cast<std::uint32_t>(std::count_if(active.rounds.begin(),
                                                            active.rounds.begin() + static_cast<std::ptrdiff_t>(end),
                                                            [](std::uint64_t rounds) { return rounds > 0; }));
        };
        tensor.alike = layers_before(active.rounds.size());
        return filled(active.name, "nth", std::to_string(layers_before(layer)));
    }

    Status add(LayoutTensor tensor, std::string name, LayerSlot slot) {
        const ModelMapping& mapping = model_.mapping();
        if (slot.layer >= model_.layers())
            name =
                chunk_.dialect == nullptr ? mapping.mtp_hf_name(name) : mapping.mtp_mcore_name(name, *chunk_.dialect);
        std::string in_stage = filled(std::move(name), "local_layer", std::to_string(slot.local));
        tensor.name = chunk_.prefix + filled(std::move(in_stage), "layer", std::to_string(slot.layer));
        tensor.file = chunk_.file;
        return sink_(std::move(tensor));
    }

    const TensorSink& sink_;
    const Model& model_;
    const std::vector<ActiveRule>& rules_;
    const Chunk& chunk_;
    std::set<std::string>* misfits_;
};

TensorSink keep_in(Layout& layout) {
    return [&layout](LayoutTensor tensor) {
        layout.tensors.push_back(std::move(tensor));
        return Status();
    };
}

}  // namespace

std::string parallel_sizes(const ParallelLayout& layout) {
    return base::format("TP {} x PP {}{}", layout.tp, layout.placement.pp(),
                        layout.experts.ep > 1 ? base::format(" x EP {}", layout.experts.ep) : "");
}

ModelValues layout_facts(const Model& model, const ParallelLayout& layout) {
    auto value = [&](std::string_view name) {
        auto found = model.values().find(name);
        return found == model.values().end() ? std::int64_t{0} : found->second;
    };
    bool repeated = layout.kv_sharing == KvSharing::repeat && layout.tp > value("kv_groups");
    return {
        {"tp", layout.tp},
        {"pp", layout.placement.pp()},
        {"ep", layout.experts.ep},
        {"stage_ranks", stage_size(layout.tp, layout.experts)},
        {"etp", layout.experts.etp == 0 ? layout.tp : layout.experts.etp},
        {"tp_extends_ep", layout.experts.tp_extends_ep},
        {"grouped", layout.dialect.grouped},
        {"mla_split", layout.dialect.mla_split},
        {"vpp", layout.placement.chunks()},
        {"slots", layout.placement.slots},
        {"padded_vocab", layout.padded_vocab == 0 ? value("vocab") : static_cast<std::int64_t>(layout.padded_vocab)},
        {"stored_kv_groups", repeated ? layout.tp : value("kv_groups")}};
}

Status check_runs(const Model& model) {
    ModelValues facts = layout_facts(model, whole_layout(0));
    for (const Requirement& requirement : model.mapping().requirements) {
        if (requirement.dialect.text().empty()) TRY(check_requirement(requirement, model, facts));
    }
    return {};
}

bool is_unused(const Model& model, const LayoutTensor& tensor) {
    // The share of a rank may be padding alone, of a weight that is used.
    return !tensor.pieces.empty() && std::all_of(tensor.pieces.begin(), tensor.pieces.end(), [&](const Piece& piece) {
        return model.tensors()[piece.logical].unused;
    });
}

void take_first(LayoutTensor& tensor) {
    if (!tensor.once) return;
    tensor.once = false;
    tensor.strides.clear();
    tensor.shape = std::exchange(tensor.file_shape, {});
    for (std::size_t row = 0; row < tensor.pieces.size(); ++row) {
        Piece& piece = tensor.pieces[row];
        piece.extent[0] = 1;
        piece.in_stored.assign(piece.in_stored.size(), 0);
        piece.in_stored[0] = row;
    }
}

Result<Layout> hf_layout(const Model& model, const HfVariant& variant) {
    ParallelLayout whole = whole_layout(variant.vocab_rows);
    whole.dialect = variant.dialect;
    whole.tp = variant.tp;
    const ModelValues facts = layout_facts(model, whole);
    NamedRules named;
    if (variant.names == nullptr) {
        named.rules = all_of(model.mapping().hf);
    } else {
        TRY_ASSIGN(named, variant.names->rules_for(model.mapping(), variant.dialect));
        for (const Requirement& requirement : variant.names->requirements)
            TRY(check_requirement(requirement, model, facts));
    }
    const KvSharing sharing =
        variant.names != nullptr && variant.names->by_rank ? KvSharing::repeat : KvSharing::refuse;
    TRY_ASSIGN(auto rules, active_rules(named.rules, model, facts, variant.dialect, sharing));
    const std::string form = variant.form.empty() ? model.mapping().hf_form() : variant.form;
    std::erase_if(rules,
                  [&](const ActiveRule& active) { return !active.rule->form.empty() && active.rule->form != form; });
    for (ActiveRule& active : rules) active.name = filled(std::move(active.name), "prefix", variant.prefix);
    std::vector<LayerSlot> slots;
    for (std::uint32_t layer = 0; layer < model.layers(); ++layer) slots.push_back({layer, layer});
    Layout layout;
    const TensorSink keep = keep_in(layout);
    const bool is_core = variant.names != nullptr && variant.names->has_core();
    layout.by_file = variant.tp > 1 && !variant.rank_names;
    for (int rank = 0; rank < variant.tp; ++rank) {
        const auto count = static_cast<std::uint64_t>(variant.tp), index = static_cast<std::uint64_t>(rank);
        const Chunk chunk{static_cast<std::uint32_t>(rank),
                          variant.rank_names ? rank_front(index) : "",
                          &slots,
                          is_core ? &variant.dialect : nullptr,
                          true,
                          true,
                          true,
                          true,
                          {count, index},
                          {0, model.experts(), count, index}};
        TRY(ChunkBuilder(keep, model, rules, chunk).build());
    }
    if (variant.names != nullptr) TRY(check_names(model, layout, *variant.names));
    // transformers leaves out what the model does not use.
    for (LayoutTensor& tensor : layout.tensors) tensor.optional |= is_unused(model, tensor);
    return layout;
}

namespace {

// The part of a rank in a chunk of a stage.
Chunk rank_chunk(const ParallelLayout& parallel, const StageRank& rank, std::uint32_t file, const ChunkPosition& at,
                 const ExpertShare& experts) {
    const Placement& placement = parallel.placement;
    return {file,
            chunk_key(placement.virtual_stages, at.chunk) + "/",
            &placement.stages[at.pp][at.chunk],
            &parallel.dialect,
            at == ChunkPosition{},
            placement.norm == at,
            placement.modules == at,
            placement.head == at,
            {static_cast<std::uint64_t>(parallel.tp), static_cast<std::uint64_t>(rank.tp)},
            experts};
}

}  // namespace

Result<Layout> mcore_layout(const Model& model, const ParallelLayout& parallel) {
    Layout layout;
    layout.by_file = !parallel.dialect.torch_dist;
    TRY(each_mcore_tensor(model, parallel, keep_in(layout)));
    return layout;
}

Status each_mcore_tensor(const Model& model, const ParallelLayout& parallel, const TensorSink& sink) {
    const Placement& placement = parallel.placement;
    ModelValues facts = layout_facts(model, parallel);
    TRY(check_requirements(model, facts, parallel.dialect));
    TRY_ASSIGN(auto rules,
               active_rules(all_of(model.mapping().mcore), model, facts, parallel.dialect, parallel.kv_sharing));
    TRY_ASSIGN(auto ranks, stage_ranks(parallel.tp, parallel.experts));
    for (std::uint32_t stage = 0; stage < static_cast<std::uint32_t>(placement.pp()); ++stage) {
        for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
            TRY_ASSIGN(ExpertShare experts, expert_share(model.experts(), parallel.tp, parallel.experts, ranks[rank]));
            const std::uint32_t file = stage * static_cast<std::uint32_t>(ranks.size()) + rank;
            for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
                const Chunk part = rank_chunk(parallel, ranks[rank], file, {stage, chunk}, experts);
                TRY(ChunkBuilder(sink, model, rules, part).build());
            }
        }
    }
    return {};
}

Result<std::set<std::string>> misfits(const Model& model, const ParallelLayout& parallel) {
    const Placement& placement = parallel.placement;
    const ModelValues facts = layout_facts(model, parallel);
    TRY(check_requirements(model, facts, parallel.dialect));
    TRY_ASSIGN(auto rules,
               active_rules(all_of(model.mapping().mcore), model, facts, parallel.dialect, parallel.kv_sharing));
    TRY_ASSIGN(auto ranks, stage_ranks(parallel.tp, parallel.experts));
    TRY_ASSIGN(ExpertShare experts, expert_share(model.experts(), parallel.tp, parallel.experts, ranks.front()));
    const TensorSink unused = [](const LayoutTensor&) { return Status(); };
    std::set<std::string> out;
    for (std::uint32_t stage = 0; stage < static_cast<std::uint32_t>(placement.pp()); ++stage) {
        for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
            const Chunk part = rank_chunk(parallel, ranks.front(), 0, {stage, chunk}, experts);
            TRY(ChunkBuilder(unused, model, rules, part, &out).build());
        }
    }
    return out;
}

}  // namespace ckpt
