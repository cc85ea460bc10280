#include "migrator/instrument/instrument_facts.h"

#include "base/json_object.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

constexpr std::string_view kFolder = "rules/instrument/";
constexpr std::string_view kSuffix = ".json";

base::Result<std::vector<LoopFramework>> frameworks_of(const base::JsonObject& file, const base::Json& list) {
    std::vector<LoopFramework> out;
    if (list.array() == nullptr) return file.error(list, "\"frameworks\" must be a list of objects");
    for (const base::Json& item : *list.array()) {
        TRY_ASSIGN(auto object, base::JsonObject::of(file.document(), item));
        LoopFramework framework;
        TRY_ASSIGN(framework.names, object.strings("names"));
        TRY_ASSIGN(framework.use, object.string("use"));
        TRY(object.finish());
        out.push_back(std::move(framework));
    }
    return out;
}

base::Result<Instrument> instrument_of(base::JsonObject& file) {
    Instrument out;
    TRY_ASSIGN(out.names, file.strings("names"));
    TRY_ASSIGN(out.excludes, file.strings("excludes"));
    TRY_ASSIGN(out.before, file.strings("before"));
    TRY_ASSIGN(out.before_step, file.strings("before_step"));
    TRY_ASSIGN(out.behind_step, file.strings("behind_step"));
    TRY_ASSIGN(out.closes, file.boolean_or("closes", false));
    TRY_ASSIGN(out.message, file.string("message"));
    return out;
}

}  // namespace

base::Result<InstrumentFacts> InstrumentFacts::load(const base::DataStore& store) {
    InstrumentFacts out;
    for (const std::string& path : store.list(kFolder, kSuffix)) {
        TRY_ASSIGN(auto document, base::read_rule_file(store, path));
        TRY_ASSIGN(auto file, base::JsonObject::of(document, document.root));
        TRY_ASSIGN(const std::int64_t schema, file.integer("schema"));
        if (schema != 1) return file.error("only schema 1 is known");
        TRY_ASSIGN(const std::string about, file.string("about"));
        TRY_ASSIGN(const std::string source, file.string("source"));
        if (const base::Json* list = file.optional("frameworks")) {
            TRY_ASSIGN(out.frameworks, frameworks_of(file, *list));
        } else {
            const std::string name = path.substr(kFolder.size(), path.size() - kFolder.size() - kSuffix.size());
            TRY_ASSIGN(out.instruments[name], instrument_of(file));
        }
        TRY(file.finish());
    }
    return out;
}

}  // namespace migrator
