#include "command_line/manual.h"

#include "base/format.h"
#include "base/text.h"

namespace command_line {
namespace {

// A dash of an option is one that can be searched and copied; a line that begins with a point or a quote is no request.
std::string roff(std::string_view text) {
    std::string out;
    bool starts_line = true;
    for (const char c : text) {
        if (starts_line && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') out += "\\e";
        else if (c == '-') out += "\\-";
        else out += c;
        starts_line = c == '\n';
    }
    return out;
}

std::string option_entries(const std::vector<OptionLine>& options) {
    std::string out;
    for (const OptionLine& option : options) {
        out += base::format(".TP\n.B {}\n{}", roff(option.head()), roff(option.about));
        if (!option.values.empty()) out += roff(base::format(" ({})", base::joined(option.values, ", ")));
        out += "\n";
    }
    return out;
}

std::string verbatim(std::string_view text) { return base::format(".PP\n.nf\n{}\n.fi\n", roff(text)); }

std::string command_section(const CommandPage& page) {
    std::string out = base::format(".SS {}\n{}\n.PP\n.B {}\n", roff(page.path), roff(page.about), roff(page.usage()));
    out += option_entries(page.positionals);
    for (const OptionGroup& group : page.all_groups()) out += option_entries(group.options);
    if (!page.footer.empty()) out += verbatim(page.footer);
    return out;
}

// In a cell of a table.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|' || c == '<' || c == '*' || c == '_') out += '\\';
        out += c;
    }
    return out;
}

// In code, where only the bar means something to a table.
std::string code(std::string_view text) {
    std::string out = "`";
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out + "`";
}

std::string table(const std::string& title, const std::vector<OptionLine>& options) {
    if (options.empty()) return "";
    std::string out = base::format("\n| {} | meaning |\n| --- | --- |\n", title);
    for (const OptionLine& option : options) {
        out += base::format("| {} | {}", code(option.head()), cell(option.about));
        const bool are_listed = option.values.empty() || option.value.find('|') != std::string::npos;
        out += are_listed ? " |\n" : base::format(" ({}) |\n", cell(base::joined(option.values, ", ")));
    }
    return out;
}

}  // namespace

std::string man_page(const CommandPage& page, std::string_view version) {
    const std::string brief = page.about.substr(0, page.about.find('\n'));
    std::string out = base::format(".TH {} 1 \"\" \"{} {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", page.path,
                                   page.path, version, roff(page.path), roff(brief), roff(page.usage()));
    out += base::format(".SH DESCRIPTION\n{}\n.SH OPTIONS\n{}", roff(page.about), option_entries(page.positionals));
    for (const OptionGroup& group : page.all_groups())
        out += base::format(".SS {}\n{}", roff(group.title), option_entries(group.options));
    if (!page.commands.empty()) out += ".SH COMMANDS\n";
    for (const CommandPage* command : flattened(page)) {
        if (command != &page) out += command_section(*command);
    }
    return out + ".SH EXAMPLES AND EXIT CODES\n" + verbatim(page.footer);
}

std::string reference_page(const CommandPage& page) {
    std::string out;
    for (const CommandPage* command : flattened(page)) {
        out += base::format("## {}\n\n{}\n\n```\n{}\n```\n", command->path, cell(command->about), command->usage());
        out += table("argument", command->positionals);
        for (const OptionGroup& group : command->all_groups())
            out += table(group.title == "Options" ? "option" : group.title, group.options);
        if (!command->footer.empty()) out += base::format("\n```text\n{}\n```\n", command->footer);
        out += "\n";
    }
    out.pop_back();
    return out;
}

}  // namespace command_line
