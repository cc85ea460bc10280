#include "ckpt_convert/plan/conversion_plan.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/format.h"
#include "ckpt_convert/plan/plan_proof.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

// Names for a message: the first few, and how many more.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 5;
    std::vector<std::string> shown(names.begin(),
                                   names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
    std::string out = base::joined(shown, ", ");
    return names.size() > kShown ? out + base::format(" and {} more", names.size() - kShown) : out;
}

// Finds each tensor of a layout in the index: by file and name for rank files, by name alone otherwise.
class SourceBinding {
public:
    SourceBinding(const TensorIndex& index, const Layout& layout)
        : index_(index), layout_(layout), used_(index.tensors.size(), false) {
        by_file_ = std::any_of(layout.tensors.begin(), layout.tensors.end(),
                               [](const auto& tensor) { return tensor.name.find('/') != std::string::npos; });
        for (std::uint32_t i = 0; i < index.tensors.size(); ++i)
            by_name_.emplace(key(index.tensors[i].file, index.tensors[i].name), i);
    }

    // The index of the source tensor of each layout tensor; kAbsent for optional ones that are not there.
    static constexpr std::uint32_t kAbsent = 0xFFFFFFFF;

    Result<std::vector<std::uint32_t>> bind(const std::function<bool(std::string_view)>& ignored,
                                            std::vector<std::string>& notes) {
        std::vector<std::uint32_t> bound;
        std::vector<std::string> missing;
        for (const LayoutTensor& tensor : layout_.tensors) {
            auto found = by_name_.find(key(tensor.file, tensor.name));
            bound.push_back(found == by_name_.end() ? kAbsent : found->second);
            if (found == by_name_.end()) {
                if (!tensor.optional) missing.push_back(tensor.name);
                continue;
            }
            used_[found->second] = true;
            TRY(check_shape(tensor, index_.tensors[found->second]));
            if (tensor.optional)
                notes.push_back(
                    base::format("{} is in the source but not used: the model ties it to another tensor", tensor.name));
        }
        if (!missing.empty()) {
            return base::fail(ErrorKind::bad_input,
                              base::format("{} of {} expected tensors {} missing from the source: {}", missing.size(),
                                           layout_.tensors.size(), missing.size() == 1 ? "is" : "are", listed(missing)),
                              directory());
        }
        TRY(check_unused(ignored, notes));
        return bound;
    }

private:
    std::string key(std::uint32_t file, const std::string& name) const {
        return by_file_ ? base::format("{}:{}", file, name) : name;
    }
    std::string directory() const { return index_.files.empty() ? "" : base::parent(index_.files.front()->path()); }

    Status check_shape(const LayoutTensor& expected, const IndexedTensor& found) const {
        if (expected.shape == found.shape) return {};
        return base::fail(ErrorKind::bad_input,
                          base::format("{} has the shape {}, but the configuration asks for {}", found.name,
                                       to_string(found.shape), to_string(expected.shape)),
                          index_.files[found.file]->path());
    }

    Status check_unused(const std::function<bool(std::string_view)>& ignored, std::vector<std::string>& notes) const {
        std::vector<std::string> unexpected;
        std::size_t skipped = 0;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (used_[i]) continue;
            if (ignored(index_.tensors[i].name)) ++skipped;
            else unexpected.push_back(index_.tensors[i].name);
        }
        if (skipped > 0)
            notes.push_back(base::format(
                "{} source tensors carry no weights and are left out (buffers such as rotary inv_freq)", skipped));
        if (unexpected.empty()) return {};
        return base::fail(
            ErrorKind::bad_input,
            base::format(
                "{} source tensors have no place in the target and would be lost: {}; is this the right model family?",
                unexpected.size(), listed(unexpected)),
            directory());
    }

    const TensorIndex& index_;
    const Layout& layout_;
    bool by_file_ = false;
    std::unordered_map<std::string, std::uint32_t> by_name_;
    std::vector<bool> used_;
};

// The pieces of each logical tensor on the source side; replicas of a box already there are left out.
Status add_sources(std::vector<LogicalMove>& moves, const TensorIndex& index, const Layout& layout,
                   const std::vector<std::uint32_t>& bound) {
    for (std::size_t i = 0; i < layout.tensors.size(); ++i) {
        if (bound[i] == SourceBinding::kAbsent || layout.tensors[i].optional) continue;
        const IndexedTensor& stored = index.tensors[bound[i]];
        for (const Piece& piece : layout.tensors[i].pieces) {
            LogicalMove& move = moves[piece.logical];
            bool replica = std::any_of(move.sources.begin(), move.sources.end(), [&](const StoredPiece& other) {
                return other.in_logical == piece.in_logical && other.extent == piece.extent;
            });
            if (replica) continue;
            if (!move.sources.empty() && move.dtype != stored.dtype) {
                return base::fail(ErrorKind::bad_input,
                                  base::format("{} is {}, but other parts of {} are {}", stored.name,
                                               name(stored.dtype), move.name, name(move.dtype)),
                                  index.files[stored.file]->path());
            }
            move.dtype = stored.dtype;
            move.sources.push_back({bound[i], piece.in_stored, piece.in_logical, piece.extent});
        }
    }
    return {};
}

Status add_targets(ConversionPlan& plan, const Layout& layout) {
    for (const LayoutTensor& tensor : layout.tensors) {
        if (tensor.optional) continue;
        auto number = static_cast<std::uint32_t>(plan.targets.size());
        DType dtype = plan.moves[tensor.pieces.front().logical].dtype;
        for (const Piece& piece : tensor.pieces) {
            LogicalMove& move = plan.moves[piece.logical];
            if (move.dtype != dtype) {
                return base::fail(
                    ErrorKind::bad_input,
                    base::format(
                        "{} is made of {} ({}) and {} ({}): parts of one tensor must have the same element type",
                        tensor.name, plan.moves[tensor.pieces.front().logical].name, name(dtype), move.name,
                        name(move.dtype)));
            }
            move.targets.push_back({number, piece.in_stored, piece.in_logical, piece.extent});
        }
        plan.targets.push_back({tensor.name, tensor.file, dtype, tensor.shape});
    }
    return {};
}

void sort_by_source_position(ConversionPlan& plan, const TensorIndex& index) {
    auto position = [&](const LogicalMove& move) {
        const IndexedTensor& first = index.tensors[move.sources.front().tensor];
        return std::pair(first.file, first.offset);
    };
    std::stable_sort(plan.moves.begin(), plan.moves.end(),
                     [&](const auto& a, const auto& b) { return position(a) < position(b); });
}

}  // namespace

std::uint64_t ConversionPlan::source_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& move : moves) sum += checked_bytes(move.shape, move.dtype).value_or(0);
    return sum;
}

std::uint64_t ConversionPlan::target_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& target : targets) sum += checked_bytes(target.shape, target.dtype).value_or(0);
    return sum;
}

Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const Layout& source,
                                 const Layout& target, const std::function<bool(std::string_view)>& ignored) {
    ConversionPlan plan;
    TRY_ASSIGN(auto bound, SourceBinding(index, source).bind(ignored, plan.notes));
    for (std::uint32_t i = 0; i < model.tensors().size(); ++i) {
        plan.moves.push_back({i, model.tensors()[i].name, model.tensors()[i].shape, DType::f32, {}, {}});
    }
    TRY(add_sources(plan.moves, index, source, bound));
    TRY(add_targets(plan, target));
    TRY(prove_plan(plan, index));
    sort_by_source_position(plan, index);
    return plan;
}

}  // namespace ckpt
