#include "migrator/app/explained_operator.h"

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::size_t kOperatorsShown = 6;

// The title is translated.
std::string operators_line(const base::Language& say, const std::string& title, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    const std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), kOperatorsShown));
    const std::size_t hidden = names.size() - shown.size();
    return say.show("  {}: {}{}\n", title, base::joined(shown, ", "),
                    hidden > 0 ? say.format(" and {} more", hidden) : "");
}

// What its page says of one kernel, in short.
std::string constraints_line(const base::Language& say, const AclnnRow& kernel) {
    std::vector<std::string> said;
    if (kernel.max_dims > 0) said.push_back(say.show("up to {} dimensions", kernel.max_dims));
    for (const std::string& constraint : kernel.constraints) said.push_back(say.said(constraint));
    return said.empty() ? std::string() : say.show("  page of {}: {}\n", kernel.name, base::joined(said, "; "));
}

std::string chip_line(const base::Language& say, const OperatorKnowledge& knowledge, const std::string& word,
                      const ChipRow& chip) {
    const OperatorJudgement said = knowledge.judge({word}, chip, {});
    std::string out = say.show("  {}: {}", say.text(chip.product), name(said.forward));
    if (said.backward && *said.backward != said.forward) out += say.format(", backward {}", name(*said.backward));
    if (!said.by.empty() && said.by != word) out += say.show(", by {}", said.by);
    if (!said.why.empty()) out += say.show(" ({})", say.said(said.why));
    if (said.some) out += say.show("; with some arguments {}, by {}", name(*said.some), said.some_by);
    return out + "\n";
}

}  // namespace

std::string operator_page(const base::Language& say, const OperatorKnowledge& knowledge, const std::string& word) {
    if (!knowledge.knows(word)) return {};
    std::string out = say.show("\nAs operators of torch {}, by chip:\n", knowledge.torch());
    for (const ChipRow& chip : knowledge.chips().chips) out += chip_line(say, knowledge, word, chip);
    if (const auto* row = knowledge.find_name(word)) {
        out += operators_line(say, say.text("runs"), row->forward);
        out += operators_line(say, say.text("runs backward"), row->backward);
    }
    const ChipRow& usual = *find_chip(knowledge.chips(), knowledge.chips().default_chip);
    const OperatorJudgement said = knowledge.judge({word}, usual, {});
    out += operators_line(say, say.text("kernels"), said.kernels);
    for (std::size_t i = 0; i < std::min(said.kernels.size(), kOperatorsShown); ++i) {
        if (const AclnnRow* kernel = knowledge.find_kernel(said.kernels[i])) out += constraints_line(say, *kernel);
    }
    const std::vector<std::string> dtypes = knowledge.dtypes_of(word, usual);
    if (!dtypes.empty()) out += say.show("  dtypes: {}\n", base::joined(dtypes, ", "));
    if (!said.instead.empty()) out += say.show("  in its place: {}\n", say.said(said.instead));
    return out + say.show("  Source: {}\n", said.source);
}

void write_operator_page(base::JsonWriter& json, const OperatorKnowledge& knowledge, const std::string& word) {
    using MaybeVerdict = base::InJson<std::optional<OperatorVerdict>>;
    const bool is_known = knowledge.knows(word);
    json.begin_array();
    for (const ChipRow& chip : knowledge.chips().chips) {
        if (!is_known) break;
        const OperatorJudgement said = knowledge.judge({word}, chip, {});
        json.begin_object();
        json.key("chip").string(chip.name);
        MaybeVerdict::write(json.key("forward"), said.forward);
        MaybeVerdict::write(json.key("backward"), said.backward);
        json.key("by").string(said.by);
        json.key("why").string(said.why);
        json.key("instead").string(said.instead);
        base::InJson<std::vector<std::string>>::write(json.key("kernels"), said.kernels);
        json.key("source").string(said.source);
        json.end_object();
    }
    json.end_array();
}

}  // namespace migrator
