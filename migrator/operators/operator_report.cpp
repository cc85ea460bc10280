#include "migrator/operators/operator_report.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/text.h"

namespace migrator {
namespace {

using base::Language;

OperatorVerdict worst_of(const JudgedOperator& item) { return item.judgement.worst(); }

// Of the sentence as a whole.
std::string share_sentence(const Language& say, const OperatorReport& report, const std::string& share) {
    const std::string input = say.text(report.input), product = say.text(report.chip->product);
    if (!report.read.has_times)
        return say.show("{} of the calls of {} run in compiled kernels on {}", share, input, product);
    if (report.read.times_of_device)
        return say.show("{} of the time on the device of {} is spent in compiled kernels on {}", share, input, product);
    return say.show("{} of the time on the host of {} is spent in compiled kernels on {}", share, input, product);
}

std::string called(const JudgedOperator& item) {
    return item.input.dtype.empty() ? item.input.name : base::format("{} ({})", item.input.name, item.input.dtype);
}

// "aten::lgamma" and "torch.lgamma" are decided by "lgamma.out", which is the same operator.
bool is_same_operator(std::string_view name, std::string_view by) {
    if (const std::size_t colons = name.find("::"); colons != name.npos) name.remove_prefix(colons + 2);
    if (name.starts_with("torch.")) name.remove_prefix(name.rfind('.') + 1);
    return name.substr(0, name.find('.')) == by.substr(0, by.find('.'));
}

// A list and a log speak of what is called on an NPU; all else may come from a CPU or a GPU, which have operators of their own.
OperatorJudgement judged(const InputOperator& item, const std::string& kind, const OperatorKnowledge& knowledge,
                         const ChipRow& chip, std::optional<Version> version) {
    const bool may_be_of_other = kind != "list" && kind != "log";
    const std::string form = may_be_of_other ? knowledge.device_form_of(item.name) : std::string();
    if (form.empty()) return knowledge.judge({item.name, item.dtype, item.dimensions}, chip, version);
    OperatorJudgement out = knowledge.judge({form, item.dtype, item.dimensions}, chip, version);
    out.by = form;
    if (out.why.empty()) out.why = base::format("of other devices; the NPU calls {} in its place", form);
    return out;
}

std::string line_of(const Language& say, const JudgedOperator& item) {
    const OperatorJudgement& said = item.judgement;
    std::string out = base::show("  {}", called(item));
    if (item.input.count > 1) out += say.format(", {} times", base::with_separators(item.input.count));
    out += say.format(", {}", percent_of(item.share));
    const bool only_backward = is_on_npu(said.forward) && !is_on_npu(worst_of(item));
    if (only_backward) out += say.text(", in the backward pass");
    if (!said.by.empty() && !is_same_operator(item.input.name, said.by)) out += say.show(", through {}", said.by);
    if (!said.why.empty()) out += say.show(": {}", say.said(said.why));
    out += "\n";
    if (!said.instead.empty()) out += say.show("    {}\n", say.said(said.instead));
    return out;
}

void write_operator(base::JsonWriter& json, const JudgedOperator& item, const OperatorReport& report) {
    using MaybeVerdict = base::InJson<std::optional<OperatorVerdict>>;
    using MaybeText = base::InJson<std::optional<std::string>>;
    const OperatorJudgement& said = item.judgement;
    json.begin_object();
    json.key("name").string(item.input.name);
    json.key("dtype").string(item.input.dtype);
    MaybeVerdict::write(json.key("forward"), said.forward);
    MaybeVerdict::write(json.key("backward"), said.backward);
    MaybeText::write(json.key("by"), said.by.empty() ? std::nullopt : std::optional(said.by));
    json.key("source").string(said.source);
    json.key("why").string(said.why);
    json.key("instead").string(said.instead);
    base::InJson<std::vector<std::string>>::write(json.key("kernels"), said.kernels);
    MaybeVerdict::write(json.key("some"), said.some);
    json.key("some_by").string(said.some_by);
    json.key("count").unsigned_integer(item.input.count);
    json.key("share").number(item.share);
    base::InJson<std::optional<double>>::write(
        json.key("microseconds"), report.read.has_times ? std::optional(item.input.microseconds) : std::nullopt);
    json.key("chips").begin_object();
    for (std::size_t i = 0; i < item.by_chip.size(); ++i)
        json.key(report.chips->chips[i].name).string(name(item.by_chip[i]));
    json.end_object();
    json.end_object();
}

}  // namespace

std::string percent_of(double share) {
    const double shown = share < 1 ? std::min(share * 100, 99.9) : 100;
    return base::format("{:.1f} %", shown);
}

std::string OperatorReport::sentence(const Language& say) const {
    double compiled = 0;
    std::map<OperatorVerdict, std::set<std::string>> names;
    for (const JudgedOperator& item : operators) {
        const OperatorVerdict verdict = worst_of(item);
        if (verdict <= OperatorVerdict::npu_aclnn) compiled += item.share;
        names[verdict].insert(item.input.name);
    }
    std::string out = share_sentence(say, *this, percent_of(compiled));
    const auto add = [&](OperatorVerdict verdict, const char* one, const char* many) {
        const auto& found = names[verdict];
        if (found.empty()) return;
        out += say.show("; {} {}: {}", say.plural(found.size(), "operator"), say.text(found.size() == 1 ? one : many),
                        say.said(base::listed({found.begin(), found.end()})));
    };
    add(OperatorVerdict::refused, "is refused", "are refused");
    add(OperatorVerdict::dtype_refused, "is called with a dtype that it does not take",
        "are called with dtypes that they do not take");
    add(OperatorVerdict::cpu_fallback, "falls to the CPU", "fall to the CPU");
    add(OperatorVerdict::npu_aclop, "compiles again for each new shape", "compile again for each new shape");
    add(OperatorVerdict::unknown, "is not known", "are not known");
    return out + say.text(".");
}

std::string OperatorReport::basis(const Language& say) const {
    return say.show("Operators as of torch {}; nothing was run on an NPU.", torch);
}

std::vector<const JudgedOperator*> OperatorReport::at_or_above(OperatorVerdict verdict) const {
    std::vector<const JudgedOperator*> out;
    for (const JudgedOperator& item : operators) {
        if (worst_of(item) >= verdict) out.push_back(&item);
    }
    return out;
}

std::string OperatorReport::text(const Language& say, bool all) const {
    std::map<OperatorVerdict, std::vector<const JudgedOperator*>> groups;
    for (const JudgedOperator& item : operators) groups[worst_of(item)].push_back(&item);
    std::string out;
    for (auto group = groups.rbegin(); group != groups.rend(); ++group) {
        auto& [verdict, items] = *group;
        out += say.show("{} ({}): {}\n", name(verdict), say.plural(items.size(), "operator"),
                        say.text(chips->verdicts.at(std::string(name(verdict)))));
        if (verdict <= OperatorVerdict::npu_aclnn && !all) continue;
        std::stable_sort(items.begin(), items.end(),
                         [](const JudgedOperator* a, const JudgedOperator* b) { return a->share > b->share; });
        for (const JudgedOperator* item : items) out += line_of(say, *item);
    }
    out += "\n" + sentence(say) + "\n";
    if (!chip->weak.empty()) out += say.text(chip->weak) + "\n";
    return out + basis(say) + "\n";
}

std::string OperatorReport::json() const {
    base::JsonWriter json;
    json.begin_object();
    json.key("chip").string(chip->name);
    json.key("product").string(chip->product);
    json.key("torch").string(torch);
    json.key("input").string(input);
    json.key("kind").string(read.kind);
    json.key("operators").begin_array();
    for (const JudgedOperator& item : operators) write_operator(json, item, *this);
    json.end_array();
    json.key("says").string(sentence({}));
    json.key("weak").string(chip->weak);
    return std::move(json.end_object()).take() + "\n";
}

OperatorReport judge_operators(OperatorInput input, const std::string& name, const OperatorKnowledge& knowledge,
                               const ChipRow& chip, std::optional<Version> version) {
    OperatorReport out{name, &chip, version ? version->text() : knowledge.torch(), {}, {}, &knowledge.chips()};
    double whole = 0;
    const auto part = [&](const InputOperator& item) {
        return input.has_times ? item.microseconds : static_cast<double>(item.count);
    };
    for (const InputOperator& item : input.operators) whole += part(item);
    for (InputOperator& item : input.operators) {
        OperatorJudgement judgement = judged(item, input.kind, knowledge, chip, version);
        const double share = whole > 0 ? part(item) / whole : 0;
        std::vector<OperatorVerdict> by_chip;
        for (const ChipRow& other : out.chips->chips)
            by_chip.push_back(judged(item, input.kind, knowledge, other, version).worst());
        out.operators.push_back({std::move(item), std::move(judgement), share, std::move(by_chip)});
    }
    input.operators.clear();
    out.read = std::move(input);
    return out;
}

}  // namespace migrator
