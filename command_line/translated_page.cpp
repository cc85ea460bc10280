#include "command_line/translated_page.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "base/wrapped_text.h"

namespace command_line {
namespace {

using Say = std::function<std::string(const std::string&)>;

// A text without its line breaks, which are those of one language.
std::string flowing(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

// A whole paragraph; the break of its lines is that of its language.
std::string shown(const std::string& text, const Say& say) {
    constexpr std::size_t kParagraphColumns = 110;
    return base::wrapped(say(text), 0, kParagraphColumns);
}

// An example is a command and, some blanks later, what it does; the blanks stay.
std::string example_line(std::string_view line, const Say& say) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t blanks = line.rfind("  ");
    if (begin == 0) return line.empty() ? "" : say(std::string(line));
    if (blanks == line.npos) return std::string(line);
    const bool only_remark = begin > blanks;
    constexpr std::size_t kRemark = 4;  // columns from the margin: commands stand nearer to it
    if (only_remark && begin < kRemark) return std::string(line);
    return std::string(line.substr(0, blanks + 2)) + say(std::string(line.substr(blanks + 2)));
}

std::string paragraph(const std::string& text, const Say& say) {
    if (text.find("\n  ") == text.npos) return shown(flowing(text), say);
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += (at == 0 ? "" : "\n") + example_line(std::string_view(text).substr(at, end - at), say);
        at = end + 1;
    }
    return out;
}

std::string footer(std::string_view text, const Say& say) {
    std::string out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        out += (out.empty() ? "" : "\n\n") + paragraph(std::string(text.substr(0, end)), say);
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return out;
}

void say_options(std::vector<OptionLine>& options, const Say& say) {
    for (OptionLine& option : options) option.about = say(option.about);
}

void say_page(CommandPage& page, const Say& say) {
    page.about = shown(flowing(page.about), say);
    page.footer = footer(page.footer, say);
    say_options(page.positionals, say);
    for (auto* groups : {&page.groups, &page.rare_groups}) {
        for (OptionGroup& group : *groups) {
            group.title = say(group.title);
            say_options(group.options, say);
        }
    }
    for (CommandPage& command : page.commands) say_page(command, say);
}

}  // namespace

CommandPage translated(CommandPage page, const base::Language& language) {
    if (language.code() != "en") say_page(page, [&](const std::string& text) { return language.text(text); });
    return page;
}

std::vector<std::string> texts_of(const CommandPage& page) {
    std::vector<std::string> out;
    CommandPage copy = page;
    say_page(copy, [&](const std::string& text) {
        if (!text.empty() && !base::contains(out, text)) out.push_back(text);
        return text;
    });
    return out;
}

}  // namespace command_line
