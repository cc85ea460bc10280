#include "migrator/loops/loop_facts.h"

#include "base/json_object.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

constexpr std::string_view kPath = "rules/loops/loops.json";

}  // namespace

base::Result<LoopFacts> LoopFacts::load(const base::DataStore& store) {
    TRY_ASSIGN(auto document, base::read_rule_file(store, std::string(kPath)));
    TRY_ASSIGN(auto file, base::JsonObject::of(document, document.root));
    TRY_ASSIGN(const std::int64_t schema, file.integer("schema"));
    if (schema != 1) return file.error("only schema 1 is known");
    TRY_ASSIGN(const std::string about, file.string("about"));
    TRY_ASSIGN(const std::string source, file.string("source"));
    LoopFacts out;
    TRY_ASSIGN(out.backward, file.strings("backward"));
    TRY_ASSIGN(out.step, file.strings("step"));
    TRY_ASSIGN(out.whole_step, file.strings("whole_step"));
    TRY_ASSIGN(out.optimizers, file.strings("optimizers"));
    TRY_ASSIGN(out.no_optimizers, file.strings("no_optimizers"));
    TRY_ASSIGN(out.optimizer_words, file.strings("optimizer_words"));
    TRY_ASSIGN(out.model_words, file.strings("model_words"));
    TRY(file.finish());
    return out;
}

}  // namespace migrator
