// The keys of a rule that say where it holds and how often it is said.
#include "base/format.h"
#include "migrator/ruleset/rule_loader.h"

namespace migrator {
namespace {

base::Result<SizeFormula> formula_of(const base::JsonDocument& document, const base::Json& json) {
    SizeFormula out;
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY_ASSIGN(const base::Json* factors, object.required("factors"));
    if (factors->array() == nullptr) return object.error(*factors, "\"factors\" must be a list of lists of names");
    for (const base::Json& item : *factors->array()) {
        std::vector<std::string>& names = out.factors.emplace_back();
        if (item.array() == nullptr) return object.error(item, "a factor is a list of names");
        for (const base::Json& name : *item.array()) {
            if (name.string() == nullptr) return object.error(name, "a factor is a list of names");
            names.push_back(*name.string());
        }
    }
    TRY_ASSIGN(out.bytes, object.integer("bytes"));
    TRY_ASSIGN(out.text, object.string("text"));
    TRY(object.finish());
    return out;
}

}  // namespace

base::Status RuleLoader::load_conditions(base::JsonObject& object, Rule& rule) {
    TRY_ASSIGN(const std::string in, object.string_or("in", {}));
    if (in == "training_loop") rule.in = RulePlace::training_loop;
    else if (in == "training_file") rule.in = RulePlace::training_file;
    else if (!in.empty())
        return object.error(
            base::format("\"in\" is \"{}\", which is not one of \"training_loop\", \"training_file\"", in));
    TRY_ASSIGN(const std::string once, object.string_or("once", {}));
    rule.once = once == "project";
    if (!once.empty() && !rule.once) return object.error("\"once\" can only be \"project\"");
    TRY_ASSIGN(rule.unless_mentioned, object.strings("unless_mentioned"));
    TRY_ASSIGN(rule.if_mentioned, object.strings("if_mentioned"));
    if (const base::Json* formula = object.optional("formula")) {
        TRY_ASSIGN(rule.formula, formula_of(object.document(), *formula));
    }
    return {};
}

}  // namespace migrator
