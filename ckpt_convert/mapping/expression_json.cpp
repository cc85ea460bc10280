#include "ckpt_convert/mapping/expression_json.h"

#include <string>

#include "base/format.h"

namespace ckpt {

using base::Json;
using base::JsonObject;
using base::Result;

Result<Expression> read_expression(const JsonObject& object, const Json& json, std::string_view key) {
    const std::string where = object.document().where(json);
    if (const auto* integer = json.integer()) return Expression::parse(std::to_string(*integer), where);
    if (const auto* flag = json.boolean()) return Expression::parse(*flag ? "1" : "0", where);
    if (json.string() == nullptr) return object.error(json, base::format("\"{}\" must be an expression", key));
    return Expression::parse(*json.string(), where);
}

Result<std::optional<Expression>> optional_expression(JsonObject& object, std::string_view key) {
    const Json* found = object.optional(key);
    if (found == nullptr) return std::optional<Expression>();
    TRY_ASSIGN(Expression parsed, read_expression(object, *found, key));
    return std::optional(std::move(parsed));
}

}  // namespace ckpt
