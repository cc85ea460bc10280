#include "ckpt_convert/mapping/argument_loader.h"

#include <utility>

#include "base/json_object.h"
#include "ckpt_convert/mapping/expression_json.h"

namespace ckpt {

using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;

// "=expr" integer, "?expr" boolean, "$name" text, "@name" list of a value of each layer, {"config": ..} copied from
// config.json, anything else as it stands.
Result<ArgumentRule> read_argument(const JsonDocument& document, const std::string& name, const Json& json) {
    ArgumentRule rule;
    rule.name = name;
    if (const std::string* text = json.string();
        text != nullptr && (text->starts_with("=") || text->starts_with("?"))) {
        rule.kind = text->front() == '=' ? ArgumentRule::Kind::integer : ArgumentRule::Kind::boolean;
        TRY_ASSIGN(rule.expression, Expression::parse(std::string_view(*text).substr(1), document.where(json)));
        return rule;
    }
    if (const std::string* text = json.string();
        text != nullptr && (text->starts_with("$") || text->starts_with("@"))) {
        rule.kind = text->front() == '$' ? ArgumentRule::Kind::text : ArgumentRule::Kind::list;
        rule.text = text->substr(1);
        return rule;
    }
    if (json.object() == nullptr) {
        rule.literal = json;
        return rule;
    }
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, json));
    if (const Json* ratio = object.optional("ratio")) {
        if (ratio->array() == nullptr || ratio->array()->size() != 2)
            return object.error(*ratio, "\"ratio\" must be a list of two expressions");
        rule.kind = ArgumentRule::Kind::ratio;
        TRY_ASSIGN(rule.expression, read_expression(object, ratio->array()->front(), "ratio"));
        TRY_ASSIGN(rule.divisor, read_expression(object, ratio->array()->back(), "ratio"));
        TRY(object.finish());
        return rule;
    }
    if (const Json* letters = object.optional("letters")) {
        TRY(JsonObject::of(document, *letters));
        rule.kind = ArgumentRule::Kind::letters;
        rule.literal = *letters;
        TRY(object.finish());
        return rule;
    }
    TRY_ASSIGN(rule.config, object.strings("config"));
    TRY_ASSIGN(rule.when, optional_expression(object, "when"));
    const Json* value = object.optional("value");
    const Json* fallback = object.optional("default");
    const Json* otherwise = object.optional("else");
    if (otherwise != nullptr && !rule.when) return object.error(*otherwise, "\"else\" needs a \"when\"");
    if (otherwise != nullptr) rule.otherwise = *otherwise;
    if (rule.config.empty() == (value == nullptr))
        return object.error("exactly one of \"config\" and \"value\" is needed");
    if (value != nullptr) {
        TRY_ASSIGN(ArgumentRule inner, read_argument(document, name, *value));
        inner.when = std::move(rule.when);
        inner.otherwise = std::move(rule.otherwise);
        rule = std::move(inner);
    } else {
        rule.kind = ArgumentRule::Kind::from_config;
        if (fallback != nullptr) rule.literal = *fallback;
    }
    TRY(object.finish());
    return rule;
}

}  // namespace ckpt
