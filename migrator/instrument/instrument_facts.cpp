#include "migrator/instrument/instrument_facts.h"

namespace migrator {
namespace {

constexpr std::string_view kFolder = "rules/instrument/";
constexpr std::string_view kFrameworks = "rules/instrument/frameworks.json";
constexpr std::string_view kSuffix = ".json";

}  // namespace

base::Result<InstrumentFacts> InstrumentFacts::load(const base::DataStore& store) {
    InstrumentFacts out;
    for (const std::string& path : store.list(kFolder, kSuffix)) {
        if (path == kFrameworks) continue;
        const std::string name = path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size());
        TRY_ASSIGN(out.instruments[name], base::read_rule_record<Instrument>(store, path));
    }
    TRY_ASSIGN(auto libraries, base::read_rule_record<LoopFrameworks>(store, std::string(kFrameworks)));
    out.frameworks = std::move(libraries.frameworks);
    return out;
}

}  // namespace migrator
