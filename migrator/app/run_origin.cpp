#include "migrator/app/run_origin.h"

#include <charconv>
#include <cstdlib>
#include <ctime>

#include "base/paths.h"
#include "base/shell_word.h"
#include "migrator/source/git_head.h"

namespace migrator {
namespace {

std::string utc(std::time_t seconds) {
    std::tm parts{};
    char text[32];
    if (::gmtime_r(&seconds, &parts) == nullptr) return {};
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::time_t time_of_report() {
    const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
    const std::string_view text = fixed != nullptr ? fixed : "";
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool is_number = !text.empty() && error == std::errc{} && end == text.data() + text.size();
    return is_number ? static_cast<std::time_t>(seconds) : std::time(nullptr);
}

}  // namespace

std::string told_command(int argc, const char* const* argv) {
    std::string out = "migrator";
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "-j" || word == "--jobs") ++i;
        else if (!word.starts_with("--jobs=") && !(word.starts_with("-j") && word.size() > 2))
            out += " " + base::shell_word(word);
    }
    return out;
}

void note_origin(base::FileSystem& fs, int argc, const char* const* argv, Options& options) {
    options.origin.date = utc(time_of_report());
    options.origin.command_line = told_command(argc, argv);
    if (!options.reads_standard_input()) options.origin.commit = git_head(fs, options.paths.front());
}

}  // namespace migrator
