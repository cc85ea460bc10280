#include "migrator/app/vendor_options.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/rule_file.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kTakesBase = "base", kTakesNew = "new", kTakesValue = "value", kTakesNothing = "nothing";
constexpr auto kTakes = std::to_array<std::string_view>({kTakesBase, kTakesNew, kTakesValue, kTakesNothing});

struct VendorOption {
    std::vector<std::string> names;
    std::string takes{kTakesNothing};
    std::vector<std::string> words;
};
constexpr auto record_of(const VendorOption*) {
    using base::field;
    return base::record("vendor_option", "an option of the vendor's comparison",
                        field("names", &VendorOption::names, "how it is written").needed(),
                        field("takes", &VendorOption::takes, "its value: a profile, or any").one_of(kTakes),
                        field("words", &VendorOption::words, "what it is here, before its value"));
}

struct VendorOptions : base::RuleFileHead {
    std::vector<VendorOption> options;
};
constexpr auto record_of(const VendorOptions*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "vendor_options",
                          "options of the vendor's comparison",
                          base::field("options", &VendorOptions::options, "all of them").needed());
}

// What other comparisons have an option for, and this one does by itself.
base::Status check_needed(const std::string& name) {
    using enum base::ErrorKind;
    if (name == "--threads")
        return base::fail(usage, "--threads is not needed: each of the two profiles has a thread; leave it out");
    if (name == "--memory")
        return base::fail(
            usage,
            "--memory is not needed: memory grows with what is kept of the events, and not with the files; leave "
            "it out, or give --only for fewer sheets");
    if (name == "--strict")
        return base::fail(
            usage, "--strict is not needed: where a file is damaged, compare says so and ends with 4; leave it out");
    if (name == "--step")
        return base::fail(usage,
                          "--step is of one profile; give --base-step and --new-step, as each profile counts its own");
    if (name == "--top")
        return base::fail(usage, "--top is not needed: sheets are whole, and sorted by what costs most; leave it out");
    if (name == "--rank")
        return base::fail(usage, "--rank is not needed: name the folder of the rank as BASE and as NEW");
    return {};
}

}  // namespace

base::Result<std::vector<std::string>> translate_vendor_options(std::vector<std::string> words) {
    TRY_ASSIGN(const auto vendor,
               base::read_rule_record<VendorOptions>(base::DataStore(), "rules/command_lines/msprof.json"));
    std::vector<std::string> out;
    std::string base, compared;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
        const std::string name = words[i].substr(0, equals);
        TRY(check_needed(name));
        const auto option = std::ranges::find_if(
            vendor.options, [&](const VendorOption& item) { return base::contains(item.names, name); });
        if (option == vendor.options.end() || words[i] == "-o") {
            out.push_back(words[i]);
            continue;
        }
        out.insert(out.end(), option->words.begin(), option->words.end());
        if (option->takes == kTakesNothing) continue;
        if (equals == std::string::npos && i + 1 == words.size())
            return base::fail(base::ErrorKind::usage, base::format("{} needs a value", name));
        const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
        if (option->takes == kTakesBase) base = value;
        else if (option->takes == kTakesNew) compared = value;
        else out.push_back(value);
    }
    for (const std::string& profile : {base, compared}) {
        if (!profile.empty()) out.push_back(profile);
    }
    return out;
}

}  // namespace migrator
