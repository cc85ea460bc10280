// What `migrator ops` reads: traces, graphs, logs, lists, packed or not. What it takes names each operator once, with sound figures.
#include <cmath>
#include <set>

#include "migrator/operators/chips.h"
#include "migrator/operators/operator_input.h"
#include "tests/fuzz/support/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const migrator::ChipsFile chips = migrator::load_chips(base::DataStore()).value();
    static const migrator::ProfileNames profile_names =
        migrator::load_profile_names(base::DataStore(), migrator::ProfileNumbers::ours).value();
    const auto takes_whole = [](const std::string& name) { return name.size() % 2 == 0; };
    const auto read =
        migrator::read_operator_input(fuzz::text_of(data, size), "input", chips, profile_names, takes_whole);
    if (!read) return 0;
    fuzz::require(!read->operators.empty(), "an input without operators is an error");
    std::set<std::pair<std::string, std::string>> seen;
    for (const migrator::InputOperator& item : read->operators) {
        fuzz::require(!item.name.empty(), "an operator has a name");
        fuzz::require(seen.emplace(item.name, item.dtype).second, "an operator is there once for each dtype");
        fuzz::require(std::isfinite(item.microseconds) && item.microseconds >= 0, "times are finite, and not negative");
    }
    return 0;
}
