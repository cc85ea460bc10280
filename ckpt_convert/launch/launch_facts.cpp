#include "ckpt_convert/launch/launch_facts.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {

Result<const LaunchTarget*> LaunchFacts::target(std::string_view name) const {
    std::vector<std::string> names;
    for (const LaunchTarget& known : targets) {
        if (name.empty() || known.name == name) return &known;
        names.push_back(known.name);
    }
    return base::fail(ErrorKind::usage,
                      base::format("--target: there is no \"{}\"; there are {}", name, base::joined(names, ", ")));
}

void LaunchFacts::add_numbers(ModelValues& values) const {
    for (const LaunchNumber& number : numbers) {
        const auto found = number.value.evaluate(lookup_in(values));
        if (found && !values.contains(number.name)) values[number.name] = *found;
    }
}

bool LaunchFacts::has_tokenizer(base::FileSystem& fs, const Path& directory) const {
    const auto entries = fs.list(directory);
    auto is_vocabulary = [&](const base::DirectoryEntry& entry) {
        return std::any_of(tokenizer_files.begin(), tokenizer_files.end(),
                           [&](const std::string& ending) { return entry.name.ends_with(ending); });
    };
    return !entries || std::any_of(entries->begin(), entries->end(), is_vocabulary);
}

}  // namespace ckpt
