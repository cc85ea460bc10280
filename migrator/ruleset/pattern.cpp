#include "migrator/ruleset/pattern.h"

#include <algorithm>

#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

constexpr std::string_view kMethod = "().";

// "dim|axis=-1": keywords, and the value when nothing is written; "exponent:=2": always that.
SpelledParameter spelled(std::string_view text) {
    SpelledParameter out;
    if (const std::size_t equals = text.find('='); equals != text.npos) {
        out.value = std::string(text.substr(equals + 1));
        out.fixed = equals > 0 && text[equals - 1] == ':';
        text = text.substr(0, equals - (out.fixed ? 1 : 0));
    }
    while (!text.empty()) {
        const std::size_t bar = std::min(text.find('|'), text.size());
        out.keywords.emplace_back(text.substr(0, bar));
        text.remove_prefix(std::min(bar + 1, text.size()));
    }
    return out;
}

// The last operation of the set gets another spelling.
base::Status add_spelling(RuleSet& set, const base::JsonPlace& at, const std::string& key,
                          const std::vector<std::string>& parameters) {
    OperationSpelling spelling;
    spelling.operation = set.operations.size() - 1;
    const std::vector<std::string>& known = set.operations.back().parameters;
    for (const std::string& text : parameters) {
        SpelledParameter parameter = spelled(text);
        const auto found = std::find(known.begin(), known.end(), parameter.keywords.front());
        if (found == known.end())
            return at.error(base::format("\"{}\" is not a parameter of the operation", parameter.keywords.front()));
        parameter.place = static_cast<std::size_t>(found - known.begin());
        spelling.parameters.push_back(std::move(parameter));
    }
    const auto add = [&](const std::string& indexed) -> base::Status {
        if (set.spellings.emplace(indexed, spelling).second) return {};
        return at.error(base::format("\"{}\" is a spelling of another operation already", indexed));
    };
    const std::size_t member = key.find(kMethod);
    if (member == key.npos) return add(key);
    // Of an object whose class is known, and of one whose class is not.
    spelling.method = true;
    const std::string name = key.substr(member + kMethod.size());
    TRY(add(key.substr(0, member) + "." + name));
    return add("." + name);
}

base::Status add_operation(RuleSet& set, const OperationEntry& entry, const base::JsonPlace& at) {
    OperationRow row;
    row.name = entry.name;
    for (const std::string& text : entry.parameters) row.parameters.push_back(spelled(text).keywords.front());
    row.commutative = entry.commutative;
    row.random = entry.random;
    row.in_place = entry.in_place;
    row.number = entry.number;
    if (!entry.in_place_with.empty()) {
        const auto found = std::find(row.parameters.begin(), row.parameters.end(), entry.in_place_with);
        if (found == row.parameters.end()) return at.error("\"in_place_with\" must be one of the parameters");
        row.in_place_with = static_cast<std::size_t>(found - row.parameters.begin());
    }
    set.operations.push_back(std::move(row));
    TRY(add_spelling(set, at, entry.name, entry.parameters));
    for (const std::string& key : entry.also) TRY(add_spelling(set, at, key, entry.parameters));
    for (const auto& [key, parameters] : entry.forms) TRY(add_spelling(set, at, key, parameters));
    return {};
}

}  // namespace

std::string_view name(HoleKind kind) {
    switch (kind) {
        case HoleKind::anything: break;
        case HoleKind::number: return "number";
        case HoleKind::constant: return "constant";
        case HoleKind::tensor: return "tensor";
    }
    return "";
}

base::Status add(RuleSet& set, std::vector<OperationEntry> entries, const base::JsonPlace& at) {
    for (std::size_t i = 0; i < entries.size(); ++i)
        TRY(add_operation(set, entries[i], at.at(at.key, (*at.json.array())[i])));
    return {};
}

base::Status add(RuleSet& set, PatternRow row, PatternFix fix, const Adding& adding) {
    row.place = adding.place.document.where(adding.place.json);
    row.fix = std::move(fix);
    set.patterns.push_back(std::move(row));
    return {};
}

base::Status DefinitionEntry::check(const base::JsonPlace& at) const {
    if (functions.empty() == classes.empty()) return at.error("a definition names either \"classes\" or \"functions\"");
    if (functions.empty() ? !parameters.empty() : !methods.empty())
        return at.error("\"methods\" are of classes, and \"parameters\" of functions");
    return {};
}

base::Status add(RuleSet& set, DefinitionEntry entry, const Adding& adding) {
    DefinitionRow row;
    row.rule = adding.rule;
    row.is_class = !entry.classes.empty();
    row.names = row.is_class ? std::move(entry.classes) : std::move(entry.functions);
    row.parameters = std::move(entry.methods);
    if (!row.is_class) row.parameters[""] = std::move(entry.parameters);
    set.definitions.push_back(std::move(row));
    return {};
}

const OperationSpelling* RuleSet::spelling(std::string_view key) const {
    const auto found = spellings.find(key);
    return found == spellings.end() ? nullptr : &found->second;
}

}  // namespace migrator
