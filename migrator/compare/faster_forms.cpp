#include "migrator/compare/faster_forms.h"

namespace migrator {
namespace {

bool is_one_of_names(std::string_view names, std::string_view name) {
    for (std::size_t at = 0; at <= names.size();) {
        const std::size_t end = std::min(names.find('|', at), names.size());
        if (names.substr(at, end - at) == name) return true;
        at = end + 1;
    }
    return false;
}

}  // namespace

std::size_t FasterForm::length_in(const std::vector<std::string_view>& names, std::size_t first) const {
    std::size_t at = first;
    for (std::string_view wanted : operators) {
        const bool may_miss = wanted.ends_with('?');
        if (may_miss) wanted.remove_suffix(1);
        const bool is_there = at < names.size() && is_one_of_names(wanted, names[at]);
        if (!is_there && !may_miss) return 0;
        at += is_there ? 1 : 0;
    }
    return at - first;
}

}  // namespace migrator
