#include "ckpt_convert/plan/source_layout.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/format.h"
#include "ckpt_convert/plan/name_form.h"
#include "ckpt_convert/plan/saved_arguments.h"

namespace ckpt {
namespace {

// What the names of layers for multi-token prediction begin with.
constexpr std::string_view kMtpPrefix = "mtp.";

// The forms of all tensor names of a family in a dialect, by the rule they come from.
struct RuleForm {
    const StoredRule* rule;
    NameForm form;
    bool mtp = false;  // in a layer for multi-token prediction
};

std::vector<RuleForm> forms_of(const ModelMapping& mapping, const Dialect& dialect) {
    std::vector<RuleForm> out;
    for (const StoredRule& rule : mapping.mcore) {
        const std::string* name = rule.name(dialect);
        if (name == nullptr) continue;
        out.push_back({&rule, NameForm(*name), name->starts_with(kMtpPrefix)});
        std::string in_mtp = mapping.mtp_mcore_name(*name, dialect);
        if (in_mtp != *name) out.push_back({&rule, NameForm(in_mtp), true});
    }
    return out;
}

// Every dialect in which the family's names may differ; what the saved arguments say first.
std::vector<Dialect> candidates(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping,
                                const TargetRegistry& targets) {
    std::vector<Dialect> out;
    for (const Target& target : targets.targets()) {
        std::vector<CoreVersion> versions{target.core};
        for (const CoreVersion& boundary : mapping.version_boundaries()) {
            versions.push_back(boundary);
            if (boundary.minor > 0) versions.push_back({boundary.major, boundary.minor - 1});
        }
        for (const CoreVersion& version : versions) {
            for (const char* layers : {"local", "te"}) {
                for (bool grouped : {false, true}) {
                    for (bool mla_split : {false, true})
                        out.push_back({target.name, version, layers, checkpoint.torch_dist, grouped, mla_split});
                }
            }
        }
    }
    std::string saved = saved_layers(checkpoint.args);
    std::stable_partition(out.begin(), out.end(), [&](const Dialect& dialect) { return dialect.layers == saved; });
    return out;
}

// The names of all tensors, which repeat over the ranks.
using NameSet = std::set<std::string_view>;

NameSet distinct_names(const MegatronCheckpoint& checkpoint) {
    NameSet out;
    for (const auto& tensor : checkpoint.index.tensors) out.insert(tensor.name);
    return out;
}

bool is_in(const NameSet& names, const NameForm& form) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return form.match(split_key(name).name).has_value(); });
}

// How many of the names have no place in this dialect.
std::size_t unexplained(const NameSet& names, const ModelMapping& mapping, const std::vector<RuleForm>& forms) {
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](std::string_view name) {
        return !mapping.ignores(name) && std::none_of(forms.begin(), forms.end(), [&](const RuleForm& form) {
            return form.form.match(split_key(name).name).has_value();
        });
    }));
}

// The dialects with the fewest names that have no place.
std::vector<Dialect> best_dialects(const MegatronCheckpoint& checkpoint, const NameSet& names,
                                   const ModelMapping& mapping, const TargetRegistry& targets) {
    std::vector<Dialect> best;
    std::size_t fewest = SIZE_MAX;
    for (const Dialect& dialect : candidates(checkpoint, mapping, targets)) {
        std::size_t count = unexplained(names, mapping, forms_of(mapping, dialect));
        if (count > fewest) continue;
        if (count < fewest) best.clear();
        fewest = count;
        best.push_back(dialect);
    }
    return best;
}

// What is in one rank's chunk: the layer numbers, and whether the final norm and the output layer are there.
struct ChunkContent {
    std::set<std::uint32_t> layers;
    bool counted = false;  // has tensors of layers under other numbers, see kNth
    std::uint32_t mtp_layers = 0;
    bool norm = false, head = false;
};
using Contents = std::map<std::pair<std::uint32_t, std::string>, ChunkContent>;  // by (rank, chunk key)

Contents find_contents(const MegatronCheckpoint& checkpoint, const std::vector<RuleForm>& forms) {
    Contents out;
    for (const auto& tensor : checkpoint.index.tensors) {
        TensorKey key = split_key(tensor.name);
        std::uint32_t rank = checkpoint.torch_dist ? 0 : tensor.file;
        ChunkContent& content = out[{rank, std::string(key.chunk)}];
        for (const RuleForm& form : forms) {
            auto number = form.form.match(key.name);
            if (!number) continue;
            if (form.mtp) content.mtp_layers = std::max(content.mtp_layers, *number + 1);
            else if (form.form.has_layer()) content.layers.insert(*number);
            else if (form.rule->stage == Stage::layer) content.counted = true;
            // The name of the norm does not say whether its place is the head's.
            const bool norm = std::any_of(forms.begin(), forms.end(), [&](const RuleForm& other) {
                return other.rule->stage == Stage::norm && other.form.match(key.name);
            });
            content.norm |= norm;
            content.head |= form.rule->stage == Stage::last && !norm;
            break;
        }
    }
    return out;
}

class PlacementFinder {
public:
    PlacementFinder(const MegatronCheckpoint& checkpoint, const std::vector<RuleForm>& forms)
        : checkpoint_(checkpoint),
          contents_(find_contents(checkpoint, forms)),
          pp_(static_cast<std::uint32_t>(checkpoint.pp)),
          chunks_(checkpoint.ranks.front().chunks) {}

    // The number of layers is the sum over the chunks; `slots` still is to be set.
    Result<FoundLayout> find() {
        FoundLayout found;
        Placement& placement = found.parallel.placement;
        placement.virtual_stages = checkpoint_.virtual_stages;
        placement.stages.assign(pp_, std::vector<std::vector<LayerSlot>>(chunks_));
        TRY_ASSIGN(placement.head, find_head());
        placement.norm = find_place([](const ChunkContent& content) { return content.norm; }).value_or(placement.head);
        placement.modules =
            find_place([](const ChunkContent& content) { return content.mtp_layers > 0; }).value_or(placement.head);
        bool dualpipev = pp_ > 1 && placement.head == ChunkPosition{0, 1};
        for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
            for (std::uint32_t i = 0; i < pp_; ++i) {
                std::uint32_t pp = dualpipev && chunk == 1 ? pp_ - 1 - i : i;
                TRY_ASSIGN(auto numbers, layers_of(pp, chunk));
                for (std::uint32_t number : numbers) placement.stages[pp][chunk].push_back({number, found.layers++});
                found.mtp_layers = std::max(found.mtp_layers, content(pp, 0, chunk).mtp_layers);
            }
        }
        if (found.mtp_layers > 0) placement.module_count = found.mtp_layers;
        return found;
    }

private:
    // Of a rank of the stage, by its place there.
    const ChunkContent& content(std::uint32_t pp, std::uint32_t place, std::uint32_t chunk) {
        return contents_[{pp * checkpoint_.stage_size() + place, chunk_key(checkpoint_.virtual_stages, chunk)}];
    }

    // An adapter may have none of the tensors whose names number the layers; the saved arguments say how many there are.
    std::set<std::uint32_t> all_layers() const {
        std::set<std::uint32_t> out;
        for (std::uint32_t layer = 0; layer < saved_slots(checkpoint_.args).value_or(0); ++layer) out.insert(layer);
        return out;
    }

    Result<std::set<std::uint32_t>> layers_of(std::uint32_t pp, std::uint32_t chunk) {
        const ChunkContent& first = content(pp, 0, chunk);
        if (first.layers.empty() && first.counted) return all_layers();
        const auto& numbers = first.layers;
        for (std::uint32_t place = 1; place < checkpoint_.stage_size(); ++place) {
            if (content(pp, place, chunk).layers == numbers) continue;
            const MegatronRank& rank = checkpoint_.ranks[place];
            return base::fail(ErrorKind::bad_input,
                              base::format("pipeline rank {}: TP ranks 0 and {}{} hold different layers", pp, rank.tp,
                                           rank.ep > 0 ? base::format(" (EP rank {})", rank.ep) : ""),
                              checkpoint_.directory);
        }
        return numbers;
    }

    template <typename Has>
    std::vector<ChunkPosition> places(Has has) {
        std::vector<ChunkPosition> out;
        for (std::uint32_t pp = 0; pp < pp_; ++pp) {
            for (std::uint32_t chunk = 0; chunk < chunks_; ++chunk) {
                if (has(content(pp, 0, chunk))) out.push_back({pp, chunk});
            }
        }
        return out;
    }

    template <typename Has>
    std::optional<ChunkPosition> find_place(Has has) {
        const std::vector<ChunkPosition> found = places(has);
        return found.empty() ? std::nullopt : std::optional(found.front());
    }

    // Where the output layer is, or the final norm of a model without one: on the last chunk, or on the second of the first
    // rank (dualpipev).
    Result<ChunkPosition> find_head() {
        std::vector<ChunkPosition> found = places([](const ChunkContent& content) { return content.head; });
        if (found.empty()) found = places([](const ChunkContent& content) { return content.norm; });
        ChunkPosition last{pp_ - 1, chunks_ - 1}, second{0, 1};
        if (found.empty()) return last;  // reported as a missing tensor
        bool known = found.size() == 1 && (found[0] == last || (chunks_ == 2 && found[0] == second));
        if (known) return found[0];
        return base::fail(ErrorKind::bad_input,
                          base::format("the final norm and the output layer are on pipeline rank {}, chunk {}{}; they "
                                       "belong on the last chunk of the last rank, or with dualpipev on the second "
                                       "chunk of the first",
                                       found[0].pp, found[0].chunk, found.size() > 1 ? " and elsewhere" : ""),
                          checkpoint_.directory);
    }

    const MegatronCheckpoint& checkpoint_;
    Contents contents_;
    std::uint32_t pp_;
    std::uint32_t chunks_;
};

// The rows of the embedding over all TP ranks.
std::uint64_t padded_vocab(const MegatronCheckpoint& checkpoint, const std::vector<RuleForm>& forms) {
    for (const RuleForm& form : forms) {
        if (form.rule->padded() == nullptr) continue;
        for (const auto& tensor : checkpoint.index.tensors) {
            if (!form.form.match(split_key(tensor.name).name)) continue;
            const Shape& shape = tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
            return shape.empty() ? 0 : shape[0] * static_cast<std::uint64_t>(checkpoint.tp);
        }
    }
    return 0;
}

// True when there are models of the family without experts: their number has a default.
bool has_dense_models(const ModelMapping& mapping) {
    return std::any_of(mapping.values.begin(), mapping.values.end(),
                       [](const ValueRule& rule) { return rule.name == "experts" && rule.fallback.has_value(); });
}

// True when not every model of the family has the tensor.
bool is_conditional(const ModelMapping& mapping, const StoredRule& rule) {
    return rule.when.has_value() || rule.optional || rule.copy ||
           std::any_of(mapping.weights.begin(), mapping.weights.end(), [&](const WeightRule& weight) {
               return weight.when.has_value() &&
                      std::find(rule.weights.begin(), rule.weights.end(), weight.name) != rule.weights.end();
           });
}

// True when every tensor has a name of the family, and every unconditional name of the family is there.
bool fits(const MegatronCheckpoint& checkpoint, const NameSet& names, const ModelMapping& mapping,
          const TargetRegistry& targets) {
    auto forms = forms_of(mapping, best_dialects(checkpoint, names, mapping, targets).front());
    if (unexplained(names, mapping, forms) > 0) return false;
    // Of names that only some models of the family have, it is enough to know them. A family with experts has experts.
    bool experts = false, experts_found = false;
    for (const RuleForm& form : forms) {
        bool found = is_in(names, form.form);
        if (!found && !form.mtp && !is_conditional(mapping, *form.rule)) return false;
        if (!form.rule->of_experts()) continue;
        experts = true;
        experts_found |= found;
    }
    return !experts || experts_found || has_dense_models(mapping);
}

}  // namespace

Result<FoundLayout> find_layout(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping,
                                const TargetRegistry& targets) {
    auto dialects = best_dialects(checkpoint, distinct_names(checkpoint), mapping, targets);
    auto forms = forms_of(mapping, dialects.front());
    TRY_ASSIGN(FoundLayout found, PlacementFinder(checkpoint, forms).find());
    found.parallel.tp = checkpoint.tp;
    found.parallel.dialect = dialects.front();
    found.dialects = std::move(dialects);
    found.parallel.padded_vocab = padded_vocab(checkpoint, forms);
    TRY_ASSIGN(found.parallel.placement.slots, check_saved_layout(checkpoint, found.parallel.placement, found.layers));
    return found;
}

std::vector<const ModelMapping*> fitting_families(const MegatronCheckpoint& checkpoint, const MappingRegistry& registry,
                                                  const TargetRegistry& targets) {
    NameSet names = distinct_names(checkpoint);
    std::vector<const ModelMapping*> out;
    for (const ModelMapping& mapping : registry.families()) {
        if (fits(checkpoint, names, mapping, targets)) out.push_back(&mapping);
    }
    return out;
}

}  // namespace ckpt
