#include "ckpt_convert/mapping/rule_json.h"

#include "base/format.h"

namespace base {

using ckpt::Axis;
using ckpt::DialectNames;
using ckpt::DialectSelector;
using ckpt::Expression;
using ckpt::StemPattern;

Result<Expression> InJson<Expression>::read(const JsonPlace& at) {
    const std::string where = at.document.where(at.json);
    if (const auto* integer = at.json.integer()) return Expression::parse(std::to_string(*integer), where);
    if (const auto* flag = at.json.boolean()) return Expression::parse(*flag ? "1" : "0", where);
    if (at.json.string() == nullptr) return at.error(format("\"{}\" must be an expression", at.key));
    return Expression::parse(*at.json.string(), where);
}

void InJson<Expression>::describe(SchemaWriter& out) {
    out.key("type").begin_array().string("string").string("integer").string("boolean").end_array();
}

Result<std::vector<Expression>> InJson<std::vector<Expression>>::read(const JsonPlace& at) {
    if (at.json.array() == nullptr || at.json.array()->empty())
        return at.error(format("\"{}\" must be a list of expressions", at.key));
    std::vector<Expression> out;
    for (const Json& item : *at.json.array()) {
        TRY_ASSIGN(Expression extent, read_json<Expression>(at.at(at.key, item)));
        out.push_back(std::move(extent));
    }
    return out;
}

void InJson<std::vector<Expression>>::describe(SchemaWriter& out) {
    out.type("array").key("minItems").integer(1);
    out.open("items");
    InJson<Expression>::describe(out);
    out.close();
}

Result<DialectSelector> InJson<DialectSelector>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string words, read_json<std::string>(at));
    return DialectSelector::parse(words, at.document.where(at.json));
}

Result<DialectNames> InJson<DialectNames>::read(const JsonPlace& at) {
    if (at.json.string() != nullptr) return DialectNames{{DialectSelector(), *at.json.string()}};
    if (at.json.object() == nullptr || at.json.object()->empty())
        return at.error(format("\"{}\" must be a string, or an object of one name per dialect", at.key));
    DialectNames out;
    for (const auto& [dialect, name] : *at.json.object()) {
        if (name.string() == nullptr) return at.at(dialect, name).error("a name must be a string");
        TRY_ASSIGN(DialectSelector selector, DialectSelector::parse(dialect, at.document.where(name)));
        out.emplace_back(std::move(selector), *name.string());
    }
    return out;
}

void InJson<DialectNames>::describe(SchemaWriter& out) {
    out.key("type").begin_array().string("string").string("object").end_array();
    out.open("additionalProperties").type("string").close();
}

Result<StemPattern> InJson<StemPattern>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string text, read_json<std::string>(at));
    if (std::count(text.begin(), text.end(), '*') != 1) return at.error(format("\"{}\" must have one *", text));
    return StemPattern(text);
}

Result<Axis> InJson<Axis>::read(const JsonPlace& at) {
    constexpr std::int64_t kMostAxes = 64;
    TRY_ASSIGN(const std::int64_t axis, read_json<std::int64_t>(at));
    if (axis < 0 || axis >= kMostAxes) return at.error(format("\"{}\" is not an axis of a tensor", at.key));
    return Axis{static_cast<std::size_t>(axis)};
}

}  // namespace base
