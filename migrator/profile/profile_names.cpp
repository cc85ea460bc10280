#include "migrator/profile/profile_names.h"

#include <algorithm>

namespace migrator {

bool ProfileWords::in(std::string_view text) const {
    return std::ranges::any_of(words, [&](const std::string& word) { return text.find(word) != text.npos; });
}

bool ProfileWords::is(std::string_view text) const { return std::ranges::find(words, text) != words.end(); }

bool ProfileWords::begins(std::string_view text) const {
    return std::ranges::any_of(words, [&](const std::string& word) { return text.starts_with(word); });
}

base::Result<ProfileNames> load_profile_names(const base::DataStore& store, ProfileNumbers numbers) {
    TRY_ASSIGN(ProfileNamesFile file, base::read_rule_record<ProfileNamesFile>(store, "rules/profiles/names.json"));
    if (numbers == ProfileNumbers::msprof) return file.lists;
    std::apply(
        [&](const auto&... field) {
            const auto join = [](ProfileWords& list) {
                list.words.insert(list.words.end(), list.also.begin(), list.also.end());
            };
            (join(file.lists.*field.access), ...);
        },
        base::record_for<ProfileNames>().fields);
    return file.lists;
}

}  // namespace migrator
