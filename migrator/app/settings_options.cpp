#include "migrator/app/settings_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/nearest_word.h"

namespace migrator {
namespace {

using base::ErrorKind;

base::Path from_directory_of(const base::Path& file, const std::string& path) {
    return path.starts_with("/") || base::parent(file) == "." ? path : base::join(base::parent(file), path);
}

bool is_path_setting(const std::string& key) {
    return key == "rules" || key == "report" || key == "with-library" || key == "baseline";
}

// What a project says of itself is about what is looked for. Where is written, whether a record is kept, and what is read from
// elsewhere is the user's to say: the project may have been downloaded.
bool is_for_user_only(base::FileSystem& fs, const base::Path& file, const std::vector<base::Path>& analysed,
                      const Setting& setting) {
    if (setting.key == "report" || setting.key == "no-record") return true;
    if (!is_path_setting(setting.key)) return false;
    // Rules write code: they are in what is analysed.
    const std::vector<base::Path> holders = setting.key == "rules" ? analysed : std::vector{base::parent(file)};
    return !std::ranges::all_of(setting.values, [&](const std::string& value) {
        return std::ranges::any_of(holders, [&](const base::Path& holder) {
            return base::is_inside(fs, from_directory_of(file, value), holder);
        });
    });
}

// The command line wins over a setting.
base::Status apply_setting(CLI::App& command, const base::Path& file, const Setting& setting) {
    CLI::Option* option = command.get_option_no_throw("--" + setting.key);
    if (option == nullptr || !option->get_configurable()) {
        std::vector<std::string> known;
        for (const CLI::Option* other : command.get_options()) {
            if (other->get_configurable() && !other->get_lnames().empty()) known.push_back(other->get_lnames().front());
        }
        return base::fail(
            ErrorKind::usage,
            base::format("\"{}\" is not a setting{}", setting.key, base::did_you_mean_or_all(setting.key, known)),
            setting.where);
    }
    if (option->count() > 0) return {};
    for (const std::string& value : setting.values)
        option->add_result(is_path_setting(setting.key) ? from_directory_of(file, value) : value);
    try {
        option->run_callback();
    } catch (const CLI::ParseError& error) {
        return base::fail(ErrorKind::usage, error.what(), setting.where);
    }
    return {};
}

std::string listed_keys(std::vector<std::string> keys) {
    std::sort(keys.begin(), keys.end());
    return base::joined(keys, ", ");
}

// What was read, in one line for the report.
base::Message settings_note(const base::Path& file, const std::vector<std::string>& used,
                            const std::vector<std::string>& left_out) {
    base::Message out{"Settings were read from {file}: {keys}.",
                      {{"file", file}, {"keys", used.empty() ? std::string("-") : listed_keys(used)}}};
    if (!left_out.empty())
        out.add({"A project does not choose {keys}: give it on the command line, or name the file with --config.",
                 {{"keys", listed_keys(left_out)}}});
    return out;
}

}  // namespace

base::Result<std::vector<base::Message>> apply_settings(base::FileSystem& fs, CLI::App& command, const CLI::App& other,
                                                        const std::vector<base::Path>& analysed,
                                                        const Settings& settings) {
    if (!settings.left_out.empty()) return std::vector{settings.left_out};
    if (settings.items.empty()) return std::vector<base::Message>{};
    std::vector<std::string> used, left_out;
    for (const Setting& setting : settings.items) {
        const CLI::Option* of_other = other.get_option_no_throw("--" + setting.key);
        const bool only_of_other = of_other != nullptr && of_other->get_configurable() &&
                                   command.get_option_no_throw("--" + setting.key) == nullptr;
        if (only_of_other) continue;
        if (!settings.is_named && is_for_user_only(fs, settings.file, analysed, setting)) {
            left_out.push_back(setting.key);
            continue;
        }
        TRY(apply_setting(command, settings.file, setting));
        used.push_back(setting.key);
    }
    return std::vector{settings_note(settings.file, used, left_out)};
}

}  // namespace migrator
