#include "migrator/ruleset/argument.h"

#include "base/check.h"
#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

std::string_view name(ArgumentState state) {
    switch (state) {
        case ArgumentState::present: return "present";
        case ArgumentState::absent: return "absent";
        case ArgumentState::integer: return "integer";
        case ArgumentState::equal: return "equal";
        case ArgumentState::contains: return "contains";
        case ArgumentState::computed: return "computed";
        case ArgumentState::outside: return "outside";
    }
    CHECK(false);
    return {};
}

base::Status ArgumentFix::check(const base::JsonPlace& at) const {
    const int steps = !add.empty() + !replace.empty() + !wrap.empty() + !name.empty() + remove;
    if (steps > 1) return at.error("\"add\", \"replace\", \"wrap\", \"name\" and \"remove\" exclude each other");
    if (!rename.empty() && steps > !wrap.empty()) return at.error("\"rename\" goes with \"wrap\" only");
    return {};
}

base::Status ArgumentRow::check(const base::JsonPlace& at) const {
    if (keyword.empty() && !position) return at.error("an argument has a \"keyword\", a \"position\" or both");
    const bool has_values = state == ArgumentState::equal || state == ArgumentState::contains;
    if (values.empty() == has_values)
        return at.error("\"values\" belongs to \"is\": \"equal\" or \"contains\", and only there");
    if ((state == ArgumentState::outside) == limits.words().empty())
        return at.error("\"limits\" belongs to \"is\": \"outside\", and only there");
    return {};
}

base::Status add(RuleSet& set, ArgumentRow row, ArgumentFix fix, const Adding& adding) {
    const bool is_absent = row.state == ArgumentState::absent;
    if (is_absent ? (!fix.replace.empty() || !fix.wrap.empty() || fix.remove) : !fix.add.empty())
        return adding.place.error(
            "\"add\" is for absent arguments, \"replace\", \"wrap\" and \"remove\" are for the others");
    if (!fix.name.empty() && (!row.keyword.empty() || is_absent))
        return adding.place.error("\"name\" is for arguments that are looked for by their \"position\" alone");
    if (!fix.rename.empty() && (row.keyword.empty() || is_absent))
        return adding.place.error("\"rename\" is for arguments that are looked for by their \"keyword\"");
    if (!fix.replace.empty() && !row.position && fix.replace.find('=') == std::string::npos)
        return adding.place.error("\"replace\" of an argument that has a \"keyword\" only says the keyword as well");
    row.fix = std::move(fix);
    const std::string place = row.keyword.empty() ? std::to_string(*row.position) : row.keyword;
    for (const std::string& function : row.of) {
        for (const std::string& value : row.values.empty() ? std::vector<std::string>{""} : row.values) {
            const std::string what =
                base::format("the argument {} of {}, {} {}", place, function, name(row.state), value);
            TRY(adding.claim(std::string(base::trimmed(what))));
        }
        set.arguments.add(function, row);
        if (row.methods) set.method_arguments.add(last_part(function), row);
    }
    return {};
}

}  // namespace migrator
