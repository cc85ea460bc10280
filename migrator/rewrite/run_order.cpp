#include "migrator/rewrite/run_order.h"

#include <algorithm>
#include <iterator>

namespace migrator {
namespace {

void add_outermost(std::vector<base::ByteRange>& ranges, base::ByteRange range) {
    if (ranges.empty() || range.begin >= ranges.back().end) ranges.push_back(range);
}

const base::ByteRange* range_around(const std::vector<base::ByteRange>& ranges, std::uint64_t at) {
    const auto begin_of = [](base::ByteRange range) { return range.begin; };
    const auto behind = std::ranges::upper_bound(ranges, at, {}, begin_of);
    return behind != ranges.begin() && at < std::prev(behind)->end ? &*std::prev(behind) : nullptr;
}

}  // namespace

RunOrder::RunOrder(const SyntaxTree& tree, const Bindings& bindings) {
    for (const ImportedName& import : bindings.imports()) {
        if (import.type_checking_only) add_outermost(checked_imports_, tree.range(import.statement));
    }
    for (NodeId id = 0; id < tree.size(); ++id) {
        const base::ByteRange range = tree.range(id);
        if (tree.kind(id) == NodeKind::type) add_outermost(annotations_, range);
        if (!bodies_.empty() && range.begin < bodies_.back().end) continue;
        if (tree.kind(id) == NodeKind::call) calls_.push_back(range.begin);
        if (tree.kind(id) != NodeKind::function_definition) continue;
        const NodeId body = tree.child(id, Field::body);
        if (body != kNoNode) bodies_.push_back(tree.range(body));
    }
}

std::optional<std::uint64_t> RunOrder::first_run(std::uint64_t at) const {
    if (is_for_readers(at)) return std::nullopt;
    const base::ByteRange* body = range_around(bodies_, at);
    if (body == nullptr) return at;
    const auto call = std::ranges::lower_bound(calls_, body->end);
    return call != calls_.end() ? std::optional(*call) : std::nullopt;
}

bool RunOrder::runs_with_module(std::uint64_t at) const {
    return !is_for_readers(at) && range_around(bodies_, at) == nullptr;
}

bool RunOrder::is_for_readers(std::uint64_t at) const {
    return range_around(annotations_, at) != nullptr || range_around(checked_imports_, at) != nullptr;
}

}  // namespace migrator
