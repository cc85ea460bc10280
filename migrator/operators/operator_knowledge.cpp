#include "migrator/operators/operator_knowledge.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "migrator/operators/public_names.h"

namespace migrator {
namespace {

constexpr std::array<std::string_view, 7> kPrefixes{
    "torch.ops.aten.", "torch.ops.npu.", "aten::", "npu::", "aten.", "torch_npu.", "npu."};
constexpr std::uint64_t kMostDimensions = 8;  // of a tensor of CANN
constexpr std::string_view kDefaultOverload = ".default";

// "aten::add.Tensor" -> "add.Tensor"
std::string_view plain_operator(std::string_view name) {
    for (const std::string_view prefix : kPrefixes) {
        if (!name.starts_with(prefix)) continue;
        name.remove_prefix(prefix.size());
        break;
    }
    if (name.ends_with(kDefaultOverload)) name.remove_suffix(kDefaultOverload.size());
    return name;
}

bool is_out_form(std::string_view overload) { return overload.ends_with("out") || overload.ends_with("grad_input"); }

bool holds_chip(const std::vector<std::string>& chips, const ChipRow& chip) { return base::contains(chips, chip.name); }

}  // namespace

base::Result<OperatorKnowledge> OperatorKnowledge::load(const base::DataStore& store) {
    OperatorKnowledge out;
    TRY_ASSIGN(out.chips_, load_chips(store));
    TRY_ASSIGN(out.operators_, base::read_rule_record<OperatorsFile>(store, "rules/operators/operators.json"));
    TRY_ASSIGN(out.names_, load_public_names(store));
    TRY_ASSIGN(out.kernels_, base::read_rule_record<KernelsFile>(store, "rules/operators/kernels.json"));
    TRY_ASSIGN(out.instead_, Instead::load(store));
    for (std::size_t i = 0; i < out.operators_.operators.size(); ++i) {
        const std::string& name = out.operators_.operators[i].name;
        out.by_overload_.emplace(name, i);
        out.by_operator_[name.substr(0, name.find('.'))].push_back(i);
    }
    for (std::size_t i = 0; i < out.names_.size(); ++i) {
        const PublicNameRow& row = out.names_[i];
        out.by_name_.emplace(row.name, i);
        if (!row.also.empty()) out.by_name_.emplace(row.also, i);
    }
    for (std::size_t i = 0; i < out.kernels_.kernels.size(); ++i)
        out.by_kernel_.emplace(out.kernels_.kernels[i].name, i);
    return out;
}

const PublicNameRow* OperatorKnowledge::find_name(std::string_view name) const {
    for (const std::string_view prefix : {"", "torch.", "torch.nn.functional."}) {
        const std::string whole = std::string(prefix) + std::string(name);
        if (const auto found = by_name_.find(whole); found != by_name_.end()) return &names_[found->second];
        if (name.starts_with("torch.")) break;
    }
    return nullptr;
}

const OverloadRow* OperatorKnowledge::find_overload(std::string_view name) const {
    const auto found = by_overload_.find(name);
    return found == by_overload_.end() ? nullptr : &operators_.operators[found->second];
}

const AclnnRow* OperatorKnowledge::find_kernel(std::string_view aclnn) const {
    const auto found = by_kernel_.find(aclnn);
    return found == by_kernel_.end() ? nullptr : &kernels_.kernels[found->second];
}

std::vector<const OverloadRow*> OperatorKnowledge::overloads_of(std::string_view name) const {
    const std::string_view plain = plain_operator(name);
    if (const OverloadRow* row = find_overload(plain)) return {row};
    std::vector<const OverloadRow*> out;
    const auto found = by_operator_.find(plain);
    if (found == by_operator_.end()) return out;
    for (const std::size_t index : found->second) {
        const OverloadRow& row = operators_.operators[index];
        if (!is_out_form(row.name)) out.push_back(&row);
    }
    if (out.empty()) out.push_back(&operators_.operators[found->second.front()]);
    return out;
}

std::string OperatorKnowledge::device_form_of(std::string_view name) const {
    const std::string_view plain = plain_operator(name);
    const auto found = chips_.device_forms.find(std::string(plain.substr(0, plain.find('.'))));
    return found == chips_.device_forms.end() ? std::string() : found->second;
}

bool OperatorKnowledge::has_own_kernel(std::string_view name, const ChipRow& chip) const {
    const auto rows = overloads_of(name);
    return std::any_of(rows.begin(), rows.end(), [&](const OverloadRow* row) {
        const OperatorJudgement said = judge_operator(*row, chip, {});
        return is_on_npu(said.forward) && said.by == row->name;
    });
}

bool OperatorKnowledge::knows(std::string_view name) const {
    return find_name(name) != nullptr || !overloads_of(name).empty();
}

OperatorJudgement OperatorKnowledge::judge_name(const PublicNameRow& row, const ChipRow& chip) const {
    OperatorJudgement out;
    for (const NameOn& on : row.on) {
        if (!holds_chip(on.chips, chip)) continue;
        out.forward = on.forward;
        out.backward = on.backward;
        out.why = on.why;
        const bool backward_decides = on.backward && !is_on_npu(*on.backward) && is_on_npu(on.forward);
        out.by = backward_decides && !on.backward_by.empty() ? on.backward_by : on.by;
        out.some = on.some ? on.some : on.backward_some;
        out.some_by = on.some ? on.some_by : on.backward_some_by;
    }
    return out;
}

OperatorJudgement OperatorKnowledge::judge_operator(const OverloadRow& row, const ChipRow& chip,
                                                    std::optional<Version> version) const {
    OperatorJudgement out;
    for (const OperatorOn& on : row.on) {
        if (!holds_chip(on.chips, chip)) continue;
        out.forward = on.verdict;
        out.by = !on.by.empty() ? on.by : on.verdict == OperatorVerdict::npu_native ? "" : row.name;
        out.why = on.why;
    }
    if (!version || !is_on_npu(out.forward)) return out;
    const auto range = VersionRange::parse(row.versions);
    if (range && !range->contains(*version)) {
        out.forward = OperatorVerdict::unknown;
        out.why = base::format("its kernel is there with torch {} only", row.versions);
    }
    return out;
}

// What most overloads are, and what is worse with some.
OperatorJudgement OperatorKnowledge::judge_overloads(const std::vector<const OverloadRow*>& rows, const ChipRow& chip,
                                                     std::optional<Version> version) const {
    std::vector<OperatorJudgement> all;
    std::array<std::size_t, base::kAll<OperatorVerdict>.size()> count{};
    for (const OverloadRow* row : rows) {
        all.push_back(judge_operator(*row, chip, version));
        ++count[static_cast<std::size_t>(all.back().forward)];
    }
    const auto most = static_cast<OperatorVerdict>(std::max_element(count.begin(), count.end()) - count.begin());
    const auto worst =
        std::max_element(all.begin(), all.end(),
                         [](const OperatorJudgement& a, const OperatorJudgement& b) { return a.forward < b.forward; });
    OperatorJudgement out =
        *std::find_if(all.begin(), all.end(), [&](const OperatorJudgement& item) { return item.forward == most; });
    if (!is_on_npu(worst->forward) && worst->forward > most) {
        out.some = worst->forward;
        out.some_by = worst->by;
    }
    return out;
}

const OverloadRow* OperatorKnowledge::only_kernel(const std::vector<std::string>& names, int depth) const {
    constexpr int kDeepest = 4;
    const OverloadRow* out = nullptr;
    for (const std::string& name : names) {
        const OverloadRow* row = find_overload(name);
        if (row == nullptr) return nullptr;
        if (row->aclnn.empty() && row->runs.empty()) continue;  // a copy or a view
        const bool is_kernel = !row->aclnn.empty();
        const OverloadRow* kernel = is_kernel ? row : depth < kDeepest ? only_kernel(row->runs, depth + 1) : nullptr;
        if (out != nullptr || kernel == nullptr) return nullptr;
        out = kernel;
    }
    return out;
}

const OverloadRow* OperatorKnowledge::kernel_behind(std::string_view name) const {
    if (const PublicNameRow* row = find_name(name)) return only_kernel(row->forward);
    const auto rows = overloads_of(name);
    return rows.size() == 1 ? only_kernel({rows.front()->name}) : nullptr;
}

std::vector<std::string> OperatorKnowledge::dtypes_of(std::string_view name, const ChipRow& chip) const {
    if (const OverloadRow* row = kernel_behind(name)) {
        for (const AllowedDtypes& item : row->dtypes) {
            if (holds_chip(item.chips, chip)) return item.allowed;
        }
    }
    return {};
}

void OperatorKnowledge::refuse_dtype(const AskedOperator& call, const ChipRow& chip, OperatorJudgement& out) const {
    if (call.dtype.empty() || !is_on_npu(out.forward)) return;
    const std::vector<std::string> allowed = dtypes_of(call.name, chip);
    if (allowed.empty() || base::contains(allowed, call.dtype)) return;
    const OverloadRow* row = kernel_behind(call.name);
    out.forward = OperatorVerdict::dtype_refused;
    out.by = row->name;
    out.why = base::format("the page of {} lists {}", row->aclnn.front(), base::joined(allowed, ", "));
}

// Pages say "0-8" of kernels that take every shape that CANN has; a smaller figure is that of one of the tensors, and of which one is
// not known. Only of an operator that is its kernel's: what torch composes of others may change the shape first.
void OperatorKnowledge::refuse_dimensions(const AskedOperator& call, OperatorJudgement& out) const {
    const auto rows = overloads_of(call.name);
    if (!is_on_npu(out.forward) || rows.size() != 1 || rows.front()->aclnn.size() != 1) return;
    const AclnnRow* kernel = find_kernel(rows.front()->aclnn.front());
    if (kernel == nullptr || kernel->max_dims != kMostDimensions || call.dimensions <= kMostDimensions) return;
    out.forward = OperatorVerdict::refused;
    out.by = rows.front()->name;
    out.why = base::format("a tensor has {} dimensions, and the page of {} allows {}", call.dimensions, kernel->name,
                           kernel->max_dims);
}

// The page of a kernel, or what lists the operators.
void OperatorKnowledge::add_source(OperatorJudgement& out) const {
    out.source = operators_.source;
    const OverloadRow* row = find_overload(out.by);
    if (row == nullptr) return;
    out.kernels = row->aclnn;
    if (!is_on_npu(out.forward) && out.forward != OperatorVerdict::dtype_refused) return;
    for (const std::string& aclnn : row->aclnn) {
        if (const AclnnRow* kernel = find_kernel(aclnn)) {
            out.source = kernel->page;
            return;
        }
    }
}

OperatorJudgement OperatorKnowledge::judge(const AskedOperator& call, const ChipRow& chip,
                                           std::optional<Version> version) const {
    const std::string_view name = call.name;
    OperatorJudgement out;
    if (const PublicNameRow* row = find_name(name)) {
        out = judge_name(*row, chip);
    } else if (const auto rows = overloads_of(name); !rows.empty()) {
        out = judge_overloads(rows, chip, version);
    } else if (const auto space = chips_.namespaces.find(std::string(name.substr(0, name.find("::"))));
               space != chips_.namespaces.end() && name.find("::") != name.npos) {
        out.forward = OperatorVerdict::npu_native;
        out.why = space->second;
        out.source = chips_.source;
        return out;
    } else {
        out.why = "listed nowhere: neither in torch nor in torch_npu";
    }
    refuse_dtype(call, chip, out);
    refuse_dimensions(call, out);
    add_source(out);
    if (!is_on_npu(out.worst())) out.instead = instead_.of(out.by);
    return out;
}

}  // namespace migrator
