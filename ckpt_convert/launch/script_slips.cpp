#include "ckpt_convert/launch/script_slips.h"

#include "base/format.h"
#include "base/text.h"

namespace ckpt {

std::optional<ScriptSlip> cut_slip(std::string_view text, const ScriptPlace& begin, std::string_view word) {
    const std::string_view before = text.substr(0, begin.begin);
    const std::size_t end = before.find_last_not_of(" \t\r\n");
    if (end == before.npos) return std::nullopt;
    const std::size_t line = before.rfind('\n', end);
    const std::string_view last = before.substr(line + 1, end - line);
    const std::uint64_t last_begin = line + 1;
    const std::size_t comment = last.find(" #");
    const bool has_comment = comment != last.npos || base::trimmed(last).starts_with('#');
    if (last.ends_with('\\') && !has_comment) {
        const std::string_view between = before.substr(end + 1);
        return ScriptSlip{
            {begin.file, end + 1, begin.begin},
            base::format("an empty line ends the command here: {} and what follows are not given to it", word),
            "no empty line inside a command",
            std::string(between.substr(std::min(between.rfind('\n'), between.size()))),
            true,
            between.find('\n') != between.npos};
    }
    if (has_comment) {
        const std::size_t from = comment == last.npos ? 0 : comment;
        return ScriptSlip{
            {begin.file, last_begin + from, last_begin + last.size()},
            base::format("a comment ends the command here: {} and what follows are not given to it", word),
            "no comment inside a command",
            from == 0 ? "\\" : " \\"};
    }
    return ScriptSlip{{begin.file, last_begin + last.size(), last_begin + last.size()},
                      base::format("the command ends here: {} and what follows are not given to it", word),
                      "a backslash at the end of this line",
                      " \\"};
}

bool add_line_slips(std::string_view text, std::uint32_t file, std::vector<ScriptSlip>& slips) {
    bool ends_command = false;
    for (std::size_t at = text.find('\\'); at != text.npos; at = text.find('\\', at + 1)) {
        const std::size_t end = text.find_first_not_of(" \t", at + 1);
        const bool is_slip = end != text.npos && end > at + 1 && (text[end] == '\n' || text[end] == '\r');
        if (!is_slip) continue;
        const std::size_t line = text.rfind('\n', at) + 1;
        if (base::trimmed(text.substr(line, at - line)).starts_with('#')) continue;
        slips.push_back({{file, at + 1, end},
                         "a blank after the backslash ends the command: what follows is not given to it",
                         "nothing after the backslash",
                         ""});
        ends_command = true;
    }
    std::vector<ScriptPlace> windows;
    for (std::size_t at = text.find("\r\n"); at != text.npos; at = text.find("\r\n", at + 1))
        windows.push_back({file, at, at + 1});
    if (windows.empty()) return ends_command;
    const ScriptPlace first = windows.front();
    windows.erase(windows.begin());
    slips.push_back({first,
                     "the lines end as those of Windows do: bash takes the "
                     "carriage return for a part of the last word",
                     "line ends of Unix", "", true, true, std::move(windows)});
    return ends_command;
}

ScriptSlip not_read_slip(const ScriptPlace& place, std::string_view file, NotRead why, bool is_sourced) {
    ScriptSlip out{place, {}, {}, {}, false, false};
    if (why == NotRead::unknown_place) {
        out.what = is_sourced ? base::format("only the run knows where {} lies: what it sets is not known", file)
                              : base::format("only the run knows where {} lies: what it starts is not checked", file);
        out.right = "its path written out, or given from the folder of the script";
    } else if (why == NotRead::not_found) {
        out.what = is_sourced ? base::format("{} was not found: what it sets is not known", file)
                              : base::format("{} was not found: what it starts is not checked", file);
        out.right = "the file at this path, seen from the folder of the script or from the current one";
    } else {
        out.what = is_sourced ? base::format("{} cannot be read: what it sets is not known", file)
                              : base::format("{} cannot be read: what it starts is not checked", file);
        out.right = "a script that can be read";
    }
    return out;
}

}  // namespace ckpt
