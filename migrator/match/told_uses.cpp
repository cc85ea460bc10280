#include "migrator/match/told_uses.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "migrator/match/call_argument.h"

namespace migrator {
namespace {

constexpr std::size_t kLinesNamed = 5;

// Torch's operators are overloads: those of the same function are one to a reader.
std::string without_overload(const std::string& by) { return by.substr(0, by.find('.')); }

bool is_on_cpu(const std::optional<OperatorVerdict>& verdict) { return verdict == OperatorVerdict::cpu_fallback; }

// The function that code is in, through the comprehensions and lambdas in it.
ScopeId function_at(const Bindings& bindings, NodeId node) {
    ScopeId scope = bindings.scope_at(node);
    while (scope != kModuleScope && bindings.scope_kind(scope) != ScopeKind::function &&
           bindings.scope_kind(scope) != ScopeKind::class_)
        scope = bindings.parent_scope(scope);
    return scope;
}

// Nothing when there are no lines.
base::Message also_in(const std::vector<std::uint32_t>& lines) {
    if (lines.empty()) return {};
    if (lines.size() == 1) return {"Also in line {line}.", {{"line", std::to_string(lines.front())}}};
    std::vector<std::string> named;
    for (const std::uint32_t line : lines) {
        if (named.size() < kLinesNamed) named.push_back(std::to_string(line));
    }
    const std::string shown = base::joined(named, ", ");
    if (named.size() == lines.size()) return {"Also in lines {lines}.", {{"lines", shown}}};
    return {"Also in lines {lines} and {count} more.",
            {{"lines", shown}, {"count", std::to_string(lines.size() - named.size())}}};
}

}  // namespace

bool ToldUses::has_argument(NodeId node, const ToldName& told) const {
    if (told.keyword.empty()) return true;
    const NodeId call = file_.call_of(node);
    if (call == kNoNode) return false;
    const NodeId value = call_argument(file_.tree(), call, std::nullopt, told.keyword);
    return value != kNoNode && file_.tree().text(value) == told.value;
}

std::optional<ToldUses::Said> ToldUses::said_of(NodeId node, const Reference& reference, bool denied) const {
    const std::vector<ToldName>* names = told_->find(reference.name);
    if (names == nullptr) return std::nullopt;
    for (const ToldName& told : *names) {
        if (!has_argument(node, told)) continue;
        const NameOn& on = told.on;
        const bool has_kernel = told.versions.empty() || told.versions.contains(file_.rules().version);
        if (is_on_cpu(on.forward) || !has_kernel) return Said{RunsCase::on_cpu, on.by};
        if (is_on_cpu(on.backward)) return Said{RunsCase::backward_on_cpu, on.backward_by};
        if (is_on_cpu(on.some)) return Said{RunsCase::sometimes_on_cpu, on.some_by};
        if (is_on_cpu(on.backward_some)) return Said{RunsCase::sometimes_on_cpu, on.backward_some_by};
        if (denied && is_on_npu(on.forward)) return Said{RunsCase::unverified, on.by};
        // What is true of most operators of a chip is said once, and not of each.
        const ChipRow& chip = told_->chip();
        if (!chip.weak.empty()) continue;
        if (on.forward == OperatorVerdict::npu_aclop && chip.compiles.empty()) return Said{RunsCase::compiled, on.by};
        if (on.forward == OperatorVerdict::unknown && !on.denied) return Said{RunsCase::unknown, on.by};
    }
    return std::nullopt;
}

bool ToldUses::add(NodeId node, const Reference& reference, bool denied) {
    if (told_ == nullptr) return false;
    const std::optional<Said> said = said_of(node, reference, denied);
    if (!said) return false;
    const auto rule = file_.rules().runs_rules.find(said->which);
    if (rule == file_.rules().runs_rules.end()) return false;
    std::string by = without_overload(said->by);
    const ScopeId function = function_at(file_.bindings(), node);
    const auto [at, is_new] =
        known_.try_emplace({said->which, by.empty() ? reference.name : by, function}, uses_.size());
    if (is_new) {
        base::Message note;
        if (!by.empty())
            note.add({"On {chip} this is the operator {by}.", {{"chip", told_->chip().product}, {"by", by}}});
        if (const std::string_view instead = told_->instead().of(by); !instead.empty()) note.add(std::string(instead));
        uses_.push_back(
            {make_finding(*rule->second, file_.tree().range(node), reference.name, reference.certainty, {}, note, {}),
             {}});
    }
    uses_[at->second].lines.push_back(file_.line_of(node));
    return true;
}

void ToldUses::give(FindingSink& sink) {
    for (Use& use : uses_) {
        std::set<std::uint32_t> lines(use.lines.begin(), use.lines.end());
        lines.erase(use.lines.front());
        use.finding.message.add(also_in({lines.begin(), lines.end()}));
        sink.push_back(std::move(use.finding));
    }
}

}  // namespace migrator
