// Translations: what findings say, in other languages (rules/translations).
#pragma once

#include <map>
#include <string>

#include "base/data_store.h"
#include "base/message.h"
#include "base/result.h"
#include "migrator/report/report.h"

namespace migrator {

// By language, which is the name of a folder below rules/translations. Strict: a text that is translated twice fails.
base::Result<std::map<std::string, base::Dictionary>> load_translations(const base::DataStore& store);

// All texts of the report that have a translation, each once: messages of findings and rules, and notes.
std::map<std::string, base::Dictionary> translated(const Report& report,
                                                   const std::map<std::string, base::Dictionary>& dictionaries);

// What people read a report in: also its own messages. `texts`: what `translated` gave.
base::Language with_report(const base::Language& language, const std::map<std::string, base::Dictionary>& texts);

}  // namespace migrator
