// Files of rules/translations: sentences in another language.
#pragma once

#include <string>
#include <string_view>

#include "base/data_store.h"
#include "base/message.h"
#include "base/result.h"

namespace base {

inline constexpr std::string_view kTranslations = "rules/translations/";
// In a path below it: what the program itself says around a report, and no finding.
inline constexpr std::string_view kOfConsole = "/console/";

// Adds the sentences of a file. Strict: a text that is translated twice fails.
Status read_translations(const DataStore& store, const std::string& path, Dictionary& out);

}  // namespace base
