#include "ckpt_convert/mapping/argument_rule.h"

#include "base/format.h"

namespace ckpt {

Status ArgumentEntry::check(const base::JsonPlace& at) const {
    if (otherwise && !when) return at.error("\"else\" needs a \"when\"");
    if (config.empty() == !value) return at.error("exactly one of \"config\" and \"value\" is needed");
    return {};
}

}  // namespace ckpt

namespace base {

using ckpt::ArgumentRule;
using ckpt::ArgumentValue;
using ckpt::Expression;
using ckpt::LettersOf;
using ckpt::RatioOf;

Result<LettersOf> InJson<LettersOf>::read(const JsonPlace& at) {
    if (at.json.object() == nullptr) return at.wrong_kind("an object");
    LettersOf out;
    for (const auto& [letter, value] : *at.json.object()) {
        TRY_ASSIGN(std::string name, read_json<std::string>(at.at(letter, value)));
        out.values.emplace_back(letter, std::move(name));
    }
    return out;
}

void InJson<LettersOf>::describe(SchemaWriter& out) {
    out.type("object").open("additionalProperties").type("string").close();
}

Result<RatioOf> InJson<RatioOf>::read(const JsonPlace& at) {
    const auto* both = at.json.array();
    if (both == nullptr || both->size() != 2)
        return at.error(format("\"{}\" must be a list of two expressions", at.key));
    TRY_ASSIGN(Expression part, read_json<Expression>(at.at(at.key, both->front())));
    TRY_ASSIGN(Expression whole, read_json<Expression>(at.at(at.key, both->back())));
    return RatioOf{std::move(part), std::move(whole)};
}

void InJson<RatioOf>::describe(SchemaWriter& out) {
    out.type("array").key("minItems").integer(2);
    out.key("maxItems").integer(2);
    out.open("items");
    InJson<Expression>::describe(out);
    out.close();
}

Result<ArgumentValue> InJson<ArgumentValue>::read(const JsonPlace& at) {
    if (at.json.find("ratio") != nullptr) {
        TRY_ASSIGN(auto entry, read_json<ckpt::RatioEntry>(at));
        return ArgumentValue(std::move(entry.ratio));
    }
    if (at.json.object() != nullptr) {
        TRY_ASSIGN(auto entry, read_json<ckpt::LettersEntry>(at));
        return ArgumentValue(std::move(entry.letters));
    }
    const std::string* text = at.json.string();
    const char sign = text == nullptr || text->empty() ? '\0' : text->front();
    if (sign == '$') return ArgumentValue(ckpt::TextOf{text->substr(1)});
    if (sign == '@') return ArgumentValue(ckpt::ListOf{text->substr(1)});
    if (sign != '=' && sign != '?') return ArgumentValue(at.json);
    TRY_ASSIGN(Expression value, Expression::parse(std::string_view(*text).substr(1), at.document.where(at.json)));
    if (sign == '=') return ArgumentValue(ckpt::IntegerOf{std::move(value)});
    return ArgumentValue(ckpt::SwitchOf{std::move(value)});
}

void InJson<ArgumentValue>::describe(SchemaWriter& out) {
    constexpr std::string_view kSigns =
        "`=expr`: an integer, `?expr`: a truth value, `$name`: a text of the layout, `@name`: a value that differs by "
        "layer, as a list; another text: itself";
    out.key("anyOf").begin_array();
    auto type = [&](std::string_view name) -> JsonWriter& { return out.open_item().key("type").string(name); };
    type("string");
    out.key("description").string(kSigns);
    out.close();
    for (const char* name : {"number", "boolean", "null", "array"}) {
        type(name);
        out.close();
    }
    out.open_item();
    InJson<ckpt::LettersEntry>::describe(out);
    out.close().open_item();
    InJson<ckpt::RatioEntry>::describe(out);
    out.close().end_list();
}

Result<ArgumentRule> InJson<ArgumentRule>::read(const JsonPlace& at) {
    const bool is_plain = at.json.object() == nullptr || at.json.find("ratio") || at.json.find("letters");
    if (is_plain) {
        TRY_ASSIGN(ArgumentValue value, read_json<ArgumentValue>(at));
        return ArgumentRule{{}, std::move(value), {}, {}};
    }
    TRY_ASSIGN(auto entry, read_json<ckpt::ArgumentEntry>(at));
    ArgumentValue value = entry.value ? std::move(*entry.value)
                                      : ckpt::FromConfig{std::move(entry.config), std::move(entry.fallback),
                                                         entry.whole, entry.least, entry.most};
    return ArgumentRule{{}, std::move(value), std::move(entry.when), std::move(entry.otherwise)};
}

void InJson<ArgumentRule>::describe(SchemaWriter& out) {
    out.key("anyOf").begin_array();
    out.open_item();
    InJson<ArgumentValue>::describe(out);
    out.close().open_item();
    InJson<ckpt::ArgumentEntry>::describe(out);
    out.close().end_list();
}

}  // namespace base
