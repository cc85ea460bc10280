#include "migrator/rule/rule_word.h"

#include "base/text.h"

namespace migrator {

base::Status Adding::claim(const std::string& what) const {
    const auto [known, fresh] = claims.emplace(what, rule);
    if (fresh) return {};
    return place.error(base::format("{} is already covered by the rule \"{}\"", what, known->second->id));
}

base::Status Adding::claim_all(std::string_view pattern, const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
        std::string what(pattern);
        TRY(claim(what.replace(what.find("{}"), 2, name)));
    }
    return {};
}

std::string last_part(std::string_view qualified) { return std::string(qualified.substr(qualified.rfind('.') + 1)); }

base::Result<std::vector<std::string>> read_names(const base::JsonPlace& place) {
    TRY_ASSIGN(auto names, base::read_json<std::vector<std::string>>(place));
    TRY(base::check_not_empty(place, names.empty()));
    TRY(base::check_texts(place, names, {}, false));
    return names;
}

}  // namespace migrator
