#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

constexpr std::uint64_t kMaxDocumentBytes = std::uint64_t{256} << 20;

}  // namespace

base::Result<base::JsonDocument> read_document(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path, kMaxDocumentBytes));
    return base::parse_json(text, path, base::kPythonJson);
}

double number_at(const base::Json& object, std::string_view key) {
    const base::Json* value = object.find(key);
    if (value == nullptr) return 0;
    if (value->integer() != nullptr) return static_cast<double>(*value->integer());
    return value->real() == nullptr ? 0 : *value->real();
}

const base::Json::Object& members(const base::Json* json) {
    static const base::Json::Object kNone;
    return json == nullptr || json->object() == nullptr ? kNone : *json->object();
}

}  // namespace migrator
