#include "migrator/operators/operator_list.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/json_writer.h"

namespace migrator {
namespace {

using base::Language;

bool is_wanted(const ListedOperator& item, const OperatorFilter& filter) {
    const auto is_in_name = [&](const std::string& word) { return item.name.find(word) != item.name.npos; };
    if (!filter.words.empty() && std::none_of(filter.words.begin(), filter.words.end(), is_in_name)) return false;
    if (item.there && item.there->forward == item.here.forward) return false;
    if (!filter.verdict || item.here.forward == *filter.verdict) return true;
    return item.there && item.there->forward == *filter.verdict;
}

std::string side_name(const OperatorSide& side, const std::string& measured, const Language& say) {
    return say.show("{} with torch {}", say.text(side.chip->product), side.version ? side.version->text() : measured);
}

std::string listed_reason(const ListedOperator& item, const Language& say) {
    const OperatorJudgement& worse = item.there && item.there->forward > item.here.forward ? *item.there : item.here;
    std::string out;
    if (!worse.by.empty() && worse.by != item.name) out += say.show(", by {}", worse.by);
    if (!worse.why.empty()) out += say.show(": {}", say.said(worse.why));
    return out;
}

void write_side(base::JsonWriter& json, const OperatorSide& side, const std::string& measured) {
    json.begin_object();
    json.key("chip").string(side.chip->name);
    json.key("torch").string(side.version ? side.version->text() : measured);
    json.end_object();
}

void write_judgement(base::JsonWriter& json, const OperatorJudgement& said) {
    json.begin_object();
    json.key("verdict").string(name(said.forward));
    json.key("by").string(said.by);
    json.key("why").string(said.why);
    json.end_object();
}

}  // namespace

OperatorList list_operators(const OperatorKnowledge& knowledge, const OperatorSide& here,
                            const std::optional<OperatorSide>& there, const OperatorFilter& filter) {
    OperatorList out{here, there, knowledge.torch(), {}};
    for (const OverloadRow& row : knowledge.operators()) {
        ListedOperator item{row.name, knowledge.judge_operator(row, *here.chip, here.version), std::nullopt};
        if (there) item.there = knowledge.judge_operator(row, *there->chip, there->version);
        if (is_wanted(item, filter)) out.operators.push_back(std::move(item));
    }
    return out;
}

std::string OperatorList::text(const Language& say) const {
    std::map<OperatorVerdict, std::uint64_t> counts;
    std::string out;
    for (const ListedOperator& item : operators) {
        ++counts[item.here.forward];
        out += item.there ? base::show("{}  {} -> {}", item.name, name(item.here.forward), name(item.there->forward))
                          : base::show("{}  {}", item.name, name(item.here.forward));
        out += listed_reason(item, say) + "\n";
    }
    if (there)
        return out + say.show("{} with different verdicts on {} and {}\n", say.plural(operators.size(), "operator"),
                              side_name(here, torch, say), side_name(*there, torch, say));
    out += say.show("{} on {}", say.plural(operators.size(), "operator"), side_name(here, torch, say));
    for (const auto& [verdict, count] : counts) out += base::show("; {} {}", name(verdict), count);
    return out + "\n";
}

std::string OperatorList::json() const {
    base::JsonWriter json;
    json.begin_object();
    write_side(json.key("here"), here, torch);
    if (there) write_side(json.key("there"), *there, torch);
    json.key("operators").begin_array();
    for (const ListedOperator& item : operators) {
        json.begin_object();
        json.key("name").string(item.name);
        write_judgement(json.key("here"), item.here);
        if (item.there) write_judgement(json.key("there"), *item.there);
        json.end_object();
    }
    json.end_array();
    return std::move(json.end_object()).take() + "\n";
}

}  // namespace migrator
