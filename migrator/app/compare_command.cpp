#include "migrator/app/compare_command.h"

#include "base/data_store.h"
#include "migrator/compare/comparison.h"

namespace migrator {

base::Result<CompareResult> run_compare(const Options& options, base::FileSystem& fs) {
    base::DataStore store;
    if (!options.rules.empty()) TRY(store.overlay(fs, options.rules, "rules"));
    CompareRequest request;
    request.base = options.compare.base;
    request.compared = options.compare.compared;
    if (!options.compare.compat.empty()) request.numbers = ProfileNumbers::msprof;
    TRY_ASSIGN(const Comparison comparison, compare_profiles(fs, store, request));
    return CompareResult{options.json ? comparison.json() : comparison.text(options.language), comparison.damage()};
}

}  // namespace migrator
