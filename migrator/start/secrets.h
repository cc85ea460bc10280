// Secrets: which variables and words of a script hold what must not be copied: rules/start/start.json. When in doubt, they do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/record.h"

namespace migrator {

struct Secrets {
    std::vector<std::string> anywhere, at_the_end, whole, beginnings, inside;

    // Whether the value of a variable or option of this name is not copied. Numbers and switches are, unless the name says `anywhere`.
    bool hides(std::string_view name, std::string_view value) const;
    // A text that is one whatever its name: a known form, an address with a password, a long run of letters and digits.
    bool is_one(std::string_view value) const;
    // A command as it may be shown: options by their names, numbers, paths and words that are `known`; `...` stands for the rest.
    std::string shown(std::string_view command, const std::vector<std::string_view>& known) const;

private:
    std::string shown_word(std::string_view word, std::string_view option, bool is_known) const;
};
constexpr auto record_of(const Secrets*) {
    using base::field;
    return base::record(
        "secrets", "by which names and forms secrets are known; letters of any case",
        field("anywhere", &Secrets::anywhere, "anywhere in a name").needed(),
        field("at_the_end", &Secrets::at_the_end, "at the end of a part of a name: `HFTOKEN`, `MY_TOKEN_2`").needed(),
        field("whole", &Secrets::whole, "a whole part of a name: `OBS_SK`").needed(),
        field("beginnings", &Secrets::beginnings, "how a value begins, or a part of it: `ghp_`").needed(),
        field("inside", &Secrets::inside, "anywhere in a value: `access_token`").needed());
}

}  // namespace migrator
