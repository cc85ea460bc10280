// Calls of library functions that lead to something the NPU lacks.
#include <map>

#include "base/format.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// Ways that a message shows; the report of the library has them all.
constexpr std::size_t kWaysShown = 3;

base::Message ways_text(const std::vector<LibraryReach>& ways) {
    std::string shown;
    for (std::size_t i = 0; i < std::min(ways.size(), kWaysShown); ++i)
        shown += base::format("{}{} ({})", i == 0 ? "" : "; ", ways[i].way(), ways[i].place);
    if (ways.size() <= kWaysShown) return shown + ".";
    return {"{ways}; and {count} more.", {{"ways", shown}, {"count", std::to_string(ways.size() - kWaysShown)}}};
}

}  // namespace

void match_libraries(const PythonFile& file, FindingSink& sink) {
    const LibraryTable& libraries = file.rules().libraries;
    const Rule* rule = file.rules().library_rule;
    if (libraries.empty() || rule == nullptr) return;
    for (NodeId node : file.bindings().external_expressions()) {
        if (file.call_of(node) == kNoNode) continue;
        for (const Reference& reference : file.bindings().references(node)) {
            const auto* ways = reference.origin == Origin::external ? libraries.find(reference.name) : nullptr;
            if (ways == nullptr) continue;
            sink.push_back(make_finding(*rule, file.tree().range(node), reference.name, reference.certainty, {},
                                        ways_text(*ways), {}));
            break;
        }
    }
}

}  // namespace migrator
