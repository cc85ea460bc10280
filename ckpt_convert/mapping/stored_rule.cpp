#include "ckpt_convert/mapping/stored_rule.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

// "expert 1 0": words for the axes of a tensor and for the layer's experts; "one" is an axis of length 1.
Result<std::vector<int>> stack_axes(const base::JsonPlace& at, std::string_view text) {
    std::vector<int> out;
    for (std::string_view word : base::split(text, ' ')) {
        if (word == "one") continue;
        bool axis = word.size() == 1 && word[0] >= '0' && word[0] <= '9';
        if (!axis && word != "expert")
            return at.error(base::format("\"{}\" is neither \"expert\" nor the number of an axis", word));
        out.push_back(axis ? word[0] - '0' : Stacked::kExperts);
    }
    return out;
}

// "expert 1 0" is the order in memory, "1, expert 0" what the axes of the tensor are made of.
Result<Stacked> read_stack(const base::JsonPlace& at, std::string_view memory, std::string_view shape) {
    Stacked out;
    TRY_ASSIGN(out.memory, stack_axes(at, memory));
    std::vector<int> order = out.memory, folded;
    for (std::string_view axis : base::split(shape, ',')) {
        TRY_ASSIGN(out.axes.emplace_back(), stack_axes(at, axis));
        folded.insert(folded.end(), out.axes.back().begin(), out.axes.back().end());
    }
    std::sort(order.begin(), order.end());
    std::sort(folded.begin(), folded.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] != static_cast<int>(i) - out.of_experts())
            return at.error("\"stack\" must name every axis once, and the experts if there are any");
    }
    if (!folded.empty() && folded != order) return at.error("\"stack_shape\" must name what \"stack\" names");
    return out;
}

}  // namespace

const std::string* StoredRule::name(const Dialect& wanted) const {
    if (!dialect.matches(wanted)) return nullptr;
    for (const auto& [selector, name] : names) {
        if (selector.matches(wanted)) return &name;
    }
    return nullptr;
}

Status StoredEntry::check(const base::JsonPlace& at) {
    if (each != Each::model && stage_key) return at.error("a tensor of each layer has no \"stage\" of its own");
    if (each == Each::model) stage = stage_key.value_or(Stage::first);
    TRY(settle_form(at));
    return settle_join(at);
}

Status StoredEntry::settle_form(const base::JsonPlace& at) {
    if (pad_zero && !pad) return at.error("\"pad_zero\" needs \"pad\"");
    if (!stack_shape.empty() && stack.empty()) return at.error("\"stack_shape\" needs \"stack\"");
    if (same_rows) {
        if (weights.size() != 1 || unzip || pad || !stack.empty())
            return at.error(
                base::format("tensor \"{}\" has \"once\", and therefore one matrix as it is", names.front().second));
        form_in_file = Once{*same_rows};
    } else if (pairs) {
        if (weights.size() != 1 || unzip || pad || !stack.empty())
            return at.error(
                base::format("tensor \"{}\" has \"pairs\", and therefore one weight as it is", names.front().second));
        form_in_file = Paired{*pairs};
    } else if (!stack.empty()) {
        TRY_ASSIGN(Stacked stacked, read_stack(at, stack, stack_shape));
        if (stacked.of_experts() && each != Each::layer) return at.error("a stack of experts is there for each layer");
        if (pad) return at.error("a tensor with \"pad\" lies in memory as it is");
        form_in_file = std::move(stacked);
    } else if (pad) {
        form_in_file = Padded{*pad, pad_zero};
    }
    return {};
}

Status StoredEntry::settle_join(const base::JsonPlace& at) {
    auto problem = [&](const std::string& message) {
        return at.error(base::format("tensor \"{}\" {}", names.front().second, message));
    };
    for (const std::string& weight : repeat) {
        if (!base::contains(weights, weight))
            return problem(base::format("repeats \"{}\", which it is not made of", weight));
    }
    if (!repeat.empty() && !interleave) return problem("repeats weights without \"interleave\"");
    if (unzip) {
        bool others_as_they_are =
            !interleave && !padded() && *unzip != axis && !(shard && *unzip == *shard) &&
            (stacked() == nullptr ||
             (stacked()->axes.empty() && std::is_sorted(stacked()->memory.begin(), stacked()->memory.end())));
        if (!others_as_they_are) return problem("has \"unzip\", and therefore its other axes as they are");
        join = Unzipped{*unzip};
    } else if (interleave) {
        join = Interleaved{*interleave, repeat};
    }
    return {};
}

}  // namespace ckpt

namespace base {

Result<ckpt::Stage> InJson<ckpt::Stage>::read(const JsonPlace& at) {
    const std::string* word = at.json.string();
    if (word != nullptr && *word == "first") return ckpt::Stage::first;
    if (word != nullptr && *word == "norm") return ckpt::Stage::norm;
    if (word != nullptr && *word == "mtp") return ckpt::Stage::mtp;
    if (word != nullptr && *word == "last") return ckpt::Stage::last;
    return at.error("\"stage\" must be \"first\", \"norm\", \"mtp\" or \"last\"");
}

void InJson<ckpt::Stage>::describe(SchemaWriter& out) {
    static constexpr auto kStages = std::to_array<std::string_view>({"first", "norm", "mtp", "last"});
    out.words(kStages);
}

Result<ckpt::Addend> InJson<ckpt::Addend>::read(const JsonPlace& at) {
    const auto number = read_json<double>(at);
    if (!number || *number == 0) return at.error(format("\"{}\" must be a number other than 0", at.key));
    return ckpt::Addend{static_cast<float>(*number)};
}

Result<ckpt::Setting> InJson<ckpt::Setting>::read(const JsonPlace& at) {
    const auto* members = at.json.object();
    if (members == nullptr || members->size() != 1 || members->front().second.integer() == nullptr)
        return at.error(format("\"{}\" must be an object of one value of the model and its number", at.key));
    return ckpt::Setting{members->front().first, *members->front().second.integer()};
}

void InJson<ckpt::Setting>::describe(SchemaWriter& out) {
    out.type("object").open("additionalProperties").type("integer").close();
    out.key("minProperties").integer(1);
    out.key("maxProperties").integer(1);
}

}  // namespace base
