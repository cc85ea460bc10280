// The words "pattern" and "definition", and the operations that patterns are made of.
#include <algorithm>

#include "base/format.h"
#include "migrator/ruleset/rule_loader.h"

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

base::Result<HoleRow> hole_of(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    HoleRow hole;
    TRY_ASSIGN(std::string is, object.string_or("is", {}));
    if (is == "number") hole.is = HoleRow::Is::number;
    else if (is == "constant") hole.is = HoleRow::Is::constant;
    else if (is == "tensor") hole.is = HoleRow::Is::tensor;
    else if (!is.empty()) return object.error(base::format("\"is\" cannot be \"{}\"", is));
    TRY_ASSIGN(hole.values, object.strings("values"));
    TRY_ASSIGN(hole.like, object.strings("like"));
    TRY(object.finish());
    return hole;
}

}  // namespace

base::Status RuleLoader::load_operation(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    OperationRow row;
    TRY_ASSIGN(row.name, object.string("name"));
    TRY_ASSIGN(const auto parameters, required_strings(object, "parameters"));
    for (const std::string& text : parameters) row.parameters.push_back(spelled(text).keywords.front());
    TRY_ASSIGN(row.commutative, object.boolean_or("commutative", false));
    TRY_ASSIGN(row.random, object.boolean_or("random", false));
    TRY_ASSIGN(row.number, object.boolean_or("number", false));
    TRY_ASSIGN(row.in_place, object.boolean_or("in_place", false));
    TRY_ASSIGN(const std::string with, object.string_or("in_place_with", {}));
    if (!with.empty()) {
        const auto found = std::find(row.parameters.begin(), row.parameters.end(), with);
        if (found == row.parameters.end()) return object.error("\"in_place_with\" must be one of the parameters");
        row.in_place_with = static_cast<std::size_t>(found - row.parameters.begin());
    }
    TRY_ASSIGN(const auto also, object.strings("also"));
    const base::Json* forms = object.optional("forms");
    TRY(object.finish());
    set_.operations_.push_back(row);
    TRY(add_spelling(object, row.name, parameters));
    for (const std::string& key : also) TRY(add_spelling(object, key, parameters));
    if (forms == nullptr) return {};
    TRY_ASSIGN(auto other, base::JsonObject::of(document, *forms));
    for (const auto& [key, value] : other.members()) {
        TRY_ASSIGN(const auto own, other.strings(key));
        TRY(add_spelling(other, key, own));
    }
    return {};
}

base::Status RuleLoader::add_spelling(const base::JsonObject& object, const std::string& key,
                                      const std::vector<std::string>& parameters) {
    OperationSpelling spelling;
    spelling.operation = set_.operations_.size() - 1;
    const std::vector<std::string>& known = set_.operations_.back().parameters;
    for (const std::string& text : parameters) {
        SpelledParameter parameter = spelled(text);
        const auto found = std::find(known.begin(), known.end(), parameter.keywords.front());
        if (found == known.end())
            return object.error(base::format("\"{}\" is no parameter of the operation", parameter.keywords.front()));
        parameter.place = static_cast<std::size_t>(found - known.begin());
        spelling.parameters.push_back(std::move(parameter));
    }
    auto add = [&](std::string indexed) -> base::Status {
        if (set_.spellings_.emplace(indexed, spelling).second) return {};
        return object.error(base::format("\"{}\" is a spelling of another operation already", indexed));
    };
    const std::size_t member = key.find(kMethod);
    if (member == key.npos) return add(key);
    // Of an object whose class is known, and of one whose class is not.
    spelling.method = true;
    const std::string name = key.substr(member + kMethod.size());
    TRY(add(key.substr(0, member) + "." + name));
    return add("." + name);
}

base::Status RuleLoader::load_pattern(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("pattern"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    PatternRow row;
    row.rule = words.rule;
    row.place = words.match.document().where(*json);
    TRY_ASSIGN(row.what, object.string("what"));
    TRY_ASSIGN(row.code, required_strings(object, "code"));
    TRY_ASSIGN(row.precondition, object.string_or("precondition", {}));
    if (const base::Json* holes = object.optional("holes")) {
        TRY_ASSIGN(auto each, base::JsonObject::of(words.match.document(), *holes));
        for (const auto& [name, value] : each.members()) {
            TRY_ASSIGN(row.holes[name], hole_of(words.match.document(), value));
        }
    }
    TRY(object.finish());
    TRY_ASSIGN(row.write, words.fix.string_or("write", {}));
    TRY_ASSIGN(row.drop_import, words.fix.boolean_or("drop_import", false));
    set_.patterns_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_definition(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("definition"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    DefinitionRow row;
    row.rule = words.rule;
    TRY_ASSIGN(const auto functions, object.strings("functions"));
    TRY_ASSIGN(const auto classes, object.strings("classes"));
    if (functions.empty() == classes.empty())
        return object.error("a definition names either \"classes\" or \"functions\"");
    row.is_class = !classes.empty();
    row.names = row.is_class ? classes : functions;
    if (!row.is_class) {
        TRY_ASSIGN(row.parameters[""], object.strings("parameters"));
    }
    if (const base::Json* methods = row.is_class ? object.optional("methods") : nullptr) {
        TRY_ASSIGN(auto each, base::JsonObject::of(words.match.document(), *methods));
        for (const auto& [method, value] : each.members()) {
            TRY_ASSIGN(row.parameters[method], each.strings(method));
        }
    }
    TRY(object.finish());
    set_.definitions_.push_back(std::move(row));
    return {};
}

const OperationSpelling* RuleSet::spelling(std::string_view key) const {
    const auto found = spellings_.find(key);
    return found == spellings_.end() ? nullptr : &found->second;
}

}  // namespace migrator
