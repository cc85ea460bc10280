#include "migrator/rule/source.h"

#include <algorithm>

#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kUnverified = "unverified";

}  // namespace

std::string_view cited_name(std::string_view citation) {
    return base::trimmed(citation.substr(0, citation.find(": ")));
}

bool is_unverified(std::string_view source) {
    const auto citations = base::split(source, ';');
    return std::any_of(citations.begin(), citations.end(),
                       [](std::string_view citation) { return cited_name(citation) == kUnverified; });
}

}  // namespace migrator
