// Expressions in rule files: texts, or plain numbers and truth values.
#pragma once

#include <optional>
#include <string_view>

#include "base/json_object.h"
#include "ckpt_convert/mapping/expression.h"

namespace ckpt {

base::Result<Expression> read_expression(const base::JsonObject& object, const base::Json& json, std::string_view key);

// nullopt when the key is not there.
base::Result<std::optional<Expression>> optional_expression(base::JsonObject& object, std::string_view key);

}  // namespace ckpt
