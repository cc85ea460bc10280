#include "migrator/distribute/distribute_facts.h"

#include "base/json_object.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

constexpr std::string_view kPath = "rules/distribute/distribute.json";

}  // namespace

base::Result<DistributeFacts> DistributeFacts::load(const base::DataStore& store) {
    TRY_ASSIGN(auto document, base::read_rule_file(store, std::string(kPath)));
    TRY_ASSIGN(auto file, base::JsonObject::of(document, document.root));
    TRY_ASSIGN(const std::int64_t schema, file.integer("schema"));
    if (schema != 1) return file.error("only schema 1 is known");
    TRY_ASSIGN(const std::string about, file.string("about"));
    TRY_ASSIGN(const std::string source, file.string("source"));
    DistributeFacts out;
    TRY_ASSIGN(const base::Json* loader_json, file.required("loader"));
    TRY_ASSIGN(auto loader, base::JsonObject::of(document, *loader_json));
    TRY_ASSIGN(out.loaders, loader.strings("names"));
    TRY_ASSIGN(out.loader_parameters, loader.strings("parameters"));
    TRY_ASSIGN(out.sampler, loader.string("sampler"));
    TRY(loader.finish());
    TRY_ASSIGN(out.iterable_datasets, file.strings("iterable_datasets"));
    TRY_ASSIGN(out.already_distributed, file.strings("already_distributed"));
    TRY_ASSIGN(out.data_parallel, file.strings("data_parallel"));
    TRY_ASSIGN(out.parameter_members, file.strings("parameter_members"));
    TRY_ASSIGN(out.wrapper, file.string("wrapper"));
    TRY_ASSIGN(out.wrapped_members, file.strings("wrapped_members"));
    TRY_ASSIGN(out.placing_members, file.strings("placing_members"));
    TRY_ASSIGN(out.one_process, file.strings("one_process"));
    TRY_ASSIGN(out.one_process_members, file.strings("one_process_members"));
    TRY_ASSIGN(out.every_process, file.strings("every_process"));
    TRY_ASSIGN(out.opens_files, file.strings("opens_files"));
    TRY_ASSIGN(out.device, file.string("device"));
    TRY_ASSIGN(out.device_members, file.strings("device_members"));
    TRY_ASSIGN(out.current_device, file.string("current_device"));
    TRY_ASSIGN(out.index_functions, file.strings("index_functions"));
    TRY_ASSIGN(out.index_members, file.strings("index_members"));
    TRY_ASSIGN(out.device_selectors, file.strings("device_selectors"));
    TRY(file.finish());
    return out;
}

}  // namespace migrator
