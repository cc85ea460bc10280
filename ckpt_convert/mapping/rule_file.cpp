#include "ckpt_convert/mapping/rule_file.h"

#include "base/format.h"

namespace ckpt {

base::Result<base::JsonDocument> read_rule_file(const base::DataStore& store, const std::string& path,
                                                const std::string& wanted_by) {
    const std::string_view* text = store.find(path);
    if (text == nullptr) return base::fail(base::ErrorKind::rule_data, base::format("{} is missing", path), wanted_by);
    auto document = base::parse_json(*text, store.origin(path));
    if (!document) {
        base::Error error = document.error();
        error.kind = base::ErrorKind::rule_data;
        return tl::unexpected<base::Error>(std::move(error));
    }
    return document;
}

}  // namespace ckpt
