#include "migrator/app/explained_operator.h"

#include "base/format.h"
#include "base/printable.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::size_t kOperatorsShown = 6;

std::string operators_line(std::string_view title, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    const std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), kOperatorsShown));
    return base::show(
        "  {}: {}{}\n", title, base::joined(shown, ", "),
        names.size() > kOperatorsShown ? base::format(" and {} more", names.size() - kOperatorsShown) : "");
}

std::string chip_line(const OperatorKnowledge& knowledge, const std::string& word, const ChipRow& chip) {
    const OperatorJudgement said = knowledge.judge(word, {}, chip, {});
    std::string out = base::show("  {}: {}", chip.product, name(said.forward));
    if (said.backward && *said.backward != said.forward) out += base::format(", backward {}", name(*said.backward));
    if (!said.by.empty() && said.by != word) out += base::show(", by {}", said.by);
    if (!said.why.empty()) out += base::show(" ({})", said.why);
    if (said.some) out += base::show("; with some arguments {}, by {}", name(*said.some), said.some_by);
    return out + "\n";
}

// The dtypes of the kernels behind a word that is one overload, on the default chip.
std::string dtypes_line(const OperatorKnowledge& knowledge, const std::string& word) {
    const auto* row = knowledge.find_name(word);
    const auto overloads = row != nullptr && row->forward.size() == 1 ? knowledge.overloads_of(row->forward.front())
                                                                      : knowledge.overloads_of(word);
    if (overloads.size() != 1) return {};
    for (const AllowedDtypes& item : overloads.front()->dtypes) {
        if (base::contains(item.chips, knowledge.chips().default_chip))
            return base::show("  dtypes: {}\n", base::joined(item.allowed, ", "));
    }
    return {};
}

}  // namespace

std::string operator_page(const OperatorKnowledge& knowledge, const std::string& word) {
    if (!knowledge.knows(word)) return {};
    std::string out = base::show("\nAs operators of torch {}, by chip:\n", knowledge.torch());
    for (const ChipRow& chip : knowledge.chips().chips) out += chip_line(knowledge, word, chip);
    if (const auto* row = knowledge.find_name(word)) {
        out += operators_line("runs", row->forward);
        out += operators_line("runs backward", row->backward);
    }
    const OperatorJudgement said = knowledge.judge(word, {}, *knowledge.find_chip(knowledge.chips().default_chip), {});
    out += operators_line("kernels", said.kernels);
    out += dtypes_line(knowledge, word);
    return out + base::show("  Source: {}\n", said.source);
}

void write_operator_page(base::JsonWriter& json, const OperatorKnowledge& knowledge, const std::string& word) {
    json.begin_array();
    for (const ChipRow& chip : knowledge.chips().chips) {
        if (!knowledge.knows(word)) break;
        const OperatorJudgement said = knowledge.judge(word, {}, chip, {});
        json.begin_object();
        json.key("chip").string(chip.name);
        json.key("forward").string(name(said.forward));
        json.key("backward");
        if (said.backward) json.string(name(*said.backward));
        else json.null();
        json.key("by").string(said.by);
        json.key("why").string(said.why);
        json.key("kernels").begin_array();
        for (const std::string& kernel : said.kernels) json.string(kernel);
        json.end_array();
        json.key("source").string(said.source);
        json.end_object();
    }
    json.end_array();
}

}  // namespace migrator
