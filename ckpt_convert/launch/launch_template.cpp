#include "ckpt_convert/launch/launch_template.h"

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

constexpr std::string_view kCondition = " #? ";

// Numbers and texts in place of their marks.
Result<std::string> filled_line(std::string_view line, const ModelValues& numbers,
                                const std::map<std::string, std::string>& texts, const std::string& where) {
    std::string out;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t open = std::min(line.find("{{", at), line.size());
        out += line.substr(at, open - at);
        if (open == line.size()) break;
        const std::size_t close = std::min(line.find("}}", open), line.size());
        const std::string name(line.substr(open + 2, close - open - 2));
        const auto text = texts.find(name);
        const auto number = numbers.find(name);
        if (text == texts.end() && number == numbers.end())
            return base::fail(ErrorKind::rule_data, base::format("there is no value for {{{{{}}}}}", name), where);
        out += text != texts.end() ? text->second : base::format("{}", number->second);
        at = close + 2;
    }
    return out;
}

}  // namespace

Result<std::string> fill_lines(std::string_view text, const ModelValues& numbers,
                               const std::map<std::string, std::string>& texts, const std::string& where) {
    std::string out;
    // A number that a job does not have is 0 in a condition.
    const auto lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto found = numbers.find(name);
        return found == numbers.end() ? 0 : found->second;
    };
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (const std::size_t mark = line.rfind(kCondition); mark != line.npos) {
            TRY_ASSIGN(const Expression when, Expression::parse(line.substr(mark + kCondition.size()), where));
            TRY_ASSIGN(const std::int64_t holds, when.evaluate(lookup));
            if (holds == 0) continue;
            line = line.substr(0, mark);
        }
        TRY_ASSIGN(const std::string filled, filled_line(line, numbers, texts, where));
        // A mark of no lines leaves none.
        if (filled.empty() && !line.empty()) continue;
        out += filled + "\n";
    }
    return out;
}

}  // namespace ckpt
