#include "migrator/profile/device_info.h"

#include "base/number_text.h"
#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

// Of the entries of a folder whose names begin so; none where it cannot be listed.
std::vector<base::Path> entries_of(base::FileSystem& fs, const base::Path& folder, std::string_view begin) {
    std::vector<base::Path> out;
    if (const auto entries = fs.list(folder)) {
        for (const base::DirectoryEntry& entry : *entries) {
            if (entry.name.starts_with(begin)) out.push_back(base::join(folder, entry.name));
        }
    }
    return out;
}

// Numbers are texts in some releases.
double number_of(const base::Json& object, std::string_view key) {
    const base::Json* value = object.find(key);
    if (value != nullptr && value->string() != nullptr) return base::number_in<double>(*value->string()).value_or(0);
    return number_at(object, key);
}

}  // namespace

DeviceInfo device_info(base::FileSystem& fs, const base::Path& folder, std::string_view file_begin) {
    DeviceInfo out;
    for (const base::Path& recorded : entries_of(fs, folder, "PROF_")) {
        for (const base::Path& device : entries_of(fs, recorded, "device_")) {
            for (const base::Path& file : entries_of(fs, device, file_begin)) {
                const auto document = read_document(fs, file);
                const base::Json* devices = document ? document->root.find("DeviceInfo") : nullptr;
                if (devices == nullptr || devices->array() == nullptr || devices->array()->empty()) continue;
                const base::Json& first = devices->array()->front();
                out.cores = number_of(first, "ai_core_num");
                out.vector_cores = number_of(first, "aiv_num");
                out.megahertz = number_of(first, "aic_frequency");
                return out;
            }
        }
    }
    return out;
}

}  // namespace migrator
