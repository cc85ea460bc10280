#include "base/json_object.h"

#include "base/format.h"

namespace base {

Result<JsonObject> JsonObject::of(const JsonDocument& document, const Json& value, ErrorKind kind) {
    if (value.object() == nullptr) {
        return fail(kind, "an object is expected here, not " + value.kind_name(), document.where(value));
    }
    return JsonObject(document, value, kind);
}

const Json* JsonObject::optional(std::string_view key) {
    known_.emplace(key);
    return value_->find(key);
}

Result<const Json*> JsonObject::required(std::string_view key) {
    const Json* found = optional(key);
    if (found == nullptr) return error(base::format("the key \"{}\" is missing", key));
    return found;
}

Result<std::string> JsonObject::string(std::string_view key) {
    TRY_ASSIGN(const Json* found, required(key));
    if (found->string() == nullptr) {
        return error(*found, base::format("\"{}\" must be a string, not {}", key, found->kind_name()));
    }
    return *found->string();
}

Result<std::string> JsonObject::string_or(std::string_view key, std::string fallback) {
    if (optional(key) == nullptr) return fallback;
    return string(key);
}

Result<std::int64_t> JsonObject::integer(std::string_view key) {
    TRY_ASSIGN(const Json* found, required(key));
    if (found->integer() == nullptr) {
        return error(*found, base::format("\"{}\" must be an integer, not {}", key, found->kind_name()));
    }
    return *found->integer();
}

Result<bool> JsonObject::boolean_or(std::string_view key, bool fallback) {
    const Json* found = optional(key);
    if (found == nullptr) return fallback;
    if (found->boolean() == nullptr) {
        return error(*found, base::format("\"{}\" must be true or false, not {}", key, found->kind_name()));
    }
    return *found->boolean();
}

Result<std::vector<std::string>> JsonObject::strings(std::string_view key) {
    std::vector<std::string> out;
    const Json* found = optional(key);
    if (found == nullptr) return out;
    if (found->string() != nullptr) return std::vector<std::string>{*found->string()};
    if (found->array() == nullptr) {
        return error(*found, base::format("\"{}\" must be a list of strings, not {}", key, found->kind_name()));
    }
    for (const Json& item : *found->array()) {
        if (item.string() == nullptr) {
            return error(item, base::format("\"{}\" must hold strings only, not {}", key, item.kind_name()));
        }
        out.push_back(*item.string());
    }
    return out;
}

Status JsonObject::finish() const {
    for (const auto& [key, value] : members()) {
        if (!known_.contains(key)) return error(value, base::format("the key \"{}\" is not known here", key));
    }
    return {};
}

tl::unexpected<Error> JsonObject::error(const Json& at, std::string message) const {
    return fail(kind_, std::move(message), document_->where(at));
}

}  // namespace base
