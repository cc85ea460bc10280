#include "command_line/completion.h"

#include "base/check.h"
#include "base/format.h"

namespace command_line {
namespace {

using Pages = std::vector<const CommandPage*>;

// In single quotes, of any of the shells.
std::string quoted(std::string_view text, std::string_view quote_inside) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') out += quote_inside;
        else out += c;
    }
    return out + "'";
}

std::string in_shell(std::string_view text) { return quoted(text, "'\\''"); }
std::string in_fish(std::string_view text) { return quoted(text, "\\'"); }

// "--style:How the result is written", as _describe of zsh reads it.
std::string described(std::string_view name, std::string_view about) {
    std::string out;
    for (const char c : name) out += c == ':' ? std::string("\\:") : std::string(1, c);
    return in_shell(out + ":" + std::string(about));
}

template <class Visit>
void for_each_option(const CommandPage& page, const Visit& visit) {
    for (const OptionGroup& group : page.all_groups()) {
        for (const OptionLine& option : group.options) visit(option);
    }
}

std::vector<std::string> option_names(const CommandPage& page) {
    std::vector<std::string> out;
    for_each_option(page,
                    [&](const OptionLine& option) { out.insert(out.end(), option.names.begin(), option.names.end()); });
    return out;
}

// What can stand as a word of its own: commands, and the values of a positional.
std::vector<std::string> plain_words(const CommandPage& page) {
    std::vector<std::string> out;
    for (const CommandPage& command : page.commands) out.push_back(command.word());
    for (const OptionLine& positional : page.positionals)
        out.insert(out.end(), positional.values.begin(), positional.values.end());
    return out;
}

// In bash and zsh alike: 'command' becomes the command that the words so far name.
std::string find_command(const Pages& pages, std::string_view words) {
    std::vector<std::string> paths;
    for (const CommandPage* page : pages) {
        if (page != pages.front()) paths.push_back(in_shell(page->path));
    }
    if (paths.empty()) return "";
    return base::format(
        "  for word in {}; do\n"
        "    case \"$command $word\" in\n"
        "      {}) command=\"$command $word\" ;;\n"
        "    esac\n"
        "  done\n",
        words, base::joined(paths, "|"));
}

// In bash and zsh alike: `take` the values of the option in front.
std::string value_cases(const Pages& pages, std::string_view take) {
    std::string out;
    for (const CommandPage* page : pages) {
        for_each_option(*page, [&](const OptionLine& option) {
            if (option.values.empty()) return;
            std::vector<std::string> labels;
            for (const std::string& name : option.names) labels.push_back(in_shell(page->path + " " + name));
            out += base::format("    {}) words=({}); {} ;;\n", base::joined(labels, "|"),
                                base::joined(option.values, " "), take);
        });
    }
    return out;
}

std::string bash_script(const Pages& pages) {
    const std::string name = pages.front()->path;
    std::string out = base::format(
        "# bash completion of {0}: source it, or put it into ~/.local/share/bash-completion/completions/{0}\n"
        "_{0}() {{\n"
        "  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command={0} word words=()\n"
        "  COMPREPLY=()\n{1}"
        "  case \"$command $previous\" in\n{2}"
        "  esac\n"
        "  if [ ${{#words[@]}} -eq 0 ]; then\n"
        "    case \"$command,$current\" in\n",
        name, find_command(pages, "\"${COMP_WORDS[@]:1:COMP_CWORD-1}\""), value_cases(pages, ":"));
    for (const CommandPage* page : pages) {
        out +=
            base::format("      {},-*) words=({}) ;;\n", in_shell(page->path), base::joined(option_names(*page), " "));
        out += base::format("      {},*) words=({}) ;;\n", in_shell(page->path), base::joined(plain_words(*page), " "));
    }
    out += base::format(
        "    esac\n"
        "  fi\n"
        "  [ ${{#words[@]}} -eq 0 ] || COMPREPLY=($(compgen -W \"${{words[*]}}\" -- \"$current\"))\n"
        "}}\n"
        "complete -o default -F _{0} {0}\n",
        name);
    return out;
}

std::string zsh_script(const Pages& pages) {
    const std::string name = pages.front()->path;
    std::string out = base::format(
        "#compdef {0}\n"
        "# zsh completion of {0}: put it into a directory of $fpath as _{0}\n"
        "_{0}() {{\n"
        "  local command={0} word\n"
        "  local -a words_so_far options plain\n"
        "  words_so_far=(${{words[2,CURRENT-1]}})\n{1}",
        name, find_command(pages, "$words_so_far"));
    out += base::format(
        "  local before=$words[CURRENT-1] current=$words[CURRENT]\n"
        "  local -a words\n"
        "  case \"$command $before\" in\n{}  esac\n"
        "  case \"$command\" in\n",
        value_cases(pages, "compadd -a words; return"));
    for (const CommandPage* page : pages) {
        std::vector<std::string> options, plain;
        for_each_option(*page, [&](const OptionLine& option) {
            for (const std::string& one : option.names) options.push_back(described(one, option.about));
        });
        for (const CommandPage& command : page->commands) plain.push_back(described(command.word(), command.about));
        for (const OptionLine& positional : page->positionals) {
            for (const std::string& value : positional.values) plain.push_back(described(value, positional.about));
        }
        out += base::format("    {}) options=({})\n      plain=({}) ;;\n", in_shell(page->path),
                            base::joined(options, " "), base::joined(plain, " "));
    }
    out += base::format(
        "  esac\n"
        "  if [[ $current == -* ]]; then _describe -o option options; return; fi\n"
        "  (( $#plain )) && _describe word plain\n"
        "  _files\n"
        "}}\n"
        "compdef _{0} {0}\n",
        name);
    return out;
}

std::string fish_option(const OptionLine& option, const std::string& start) {
    std::string out = start;
    for (const std::string& name : option.names)
        out += name.starts_with("--") ? base::format(" -l {}", name.substr(2)) : base::format(" -s {}", name.substr(1));
    if (!option.values.empty()) out += base::format(" -x -a {}", in_fish(base::joined(option.values, " ")));
    else if (!option.value.empty()) out += " -r";
    return out + base::format(" -d {}\n", in_fish(option.about));
}

std::string fish_script(const Pages& pages) {
    const std::string name = pages.front()->path;
    std::vector<std::string> paths;
    for (const CommandPage* page : pages) paths.push_back(in_fish(page->path));
    std::string out = base::format(
        "# fish completion of {0}: put it into ~/.config/fish/completions/{0}.fish\n"
        "function __{0}_at\n"
        "  set -l command {0}\n"
        "  for word in (commandline -opc)[2..-1]\n"
        "    contains -- \"$command $word\" {1}; and set command \"$command $word\"\n"
        "  end\n"
        "  test \"$command\" = \"$argv[1]\"\n"
        "end\n",
        name, base::joined(paths, " "));
    for (const CommandPage* page : pages) {
        const std::string start = base::format("complete -c {} -n \"__{}_at {}\"", name, name, in_fish(page->path));
        for_each_option(*page, [&](const OptionLine& option) { out += fish_option(option, start); });
        for (const CommandPage& command : page->commands)
            out += base::format("{} -f -a {} -d {}\n", start, command.word(), in_fish(command.about));
        for (const OptionLine& positional : page->positionals) {
            if (!positional.values.empty())
                out += base::format("{} -f -a {}\n", start, in_fish(base::joined(positional.values, " ")));
        }
    }
    return out;
}

}  // namespace

std::string completion_script(const CommandPage& page, std::string_view shell) {
    const Pages pages = flattened(page);
    if (shell == "bash") return bash_script(pages);
    if (shell == "zsh") return zsh_script(pages);
    CHECK(shell == "fish");
    return fish_script(pages);
}

}  // namespace command_line
