#include <array>
#include <functional>

#include "base/file_system.h"
#include "base/text.h"
#include "migrator/match/required_packages.h"
#include "migrator/match/requirement.h"
#include "migrator/match/text_file.h"
#include "migrator/python/literal.h"

namespace migrator {
namespace {

// torch = "^2.1"  or  torch = {version = "^2.1", ...}
std::string_view first_quoted(std::string_view text) {
    if (const std::size_t version = text.find("version"); version != text.npos) text.remove_prefix(version);
    const std::size_t open = text.find_first_of("\"'");
    if (open == text.npos) return {};
    return text.substr(open + 1, text.find(text[open], open + 1) - open - 1);
}

// Up to a marker, or the options of pip.
std::string_view versions_behind(std::string_view package, std::string_view text) {
    std::string_view rest = text.substr(static_cast<std::size_t>(package.data() + package.size() - text.data()));
    if (rest.starts_with('[')) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    rest = rest.substr(0, rest.find_first_of(";#"));
    return base::trimmed(rest.substr(0, rest.find(" --")));
}

bool lists_packages(const TextFile& file) {
    return file.type != FileType::toml || base::file_name(file.path) == "pyproject.toml";
}

// install_requires = [...] and the like; every string that could be a requirement.
std::vector<RequiredPackage> packages_of_script(const SourceFile& file) {
    std::vector<RequiredPackage> out;
    const SyntaxTree tree = SyntaxTree::parse(file.text);
    for (const Literal& literal : read_literals(tree)) {
        const auto package = required_package(literal.text);
        if (!package) continue;
        const std::string_view versions = versions_behind(*package, literal.text);
        out.push_back({std::string(*package), std::string(versions), tree.range(literal.node)});
    }
    return out;
}

class PackageFinder {
public:
    using Sink = std::function<void(RequiredPackage)>;
    PackageFinder(const TextFile& file, Sink sink) : file_(file), sink_(std::move(sink)) {}

    void run() {
        for (const TextLine& line : file_.lines) {
            switch (file_.type) {
                case FileType::requirements: add(line, line.code); break;
                case FileType::toml: toml(line); break;
                case FileType::setup_cfg: setup_cfg(line); break;
                case FileType::yaml: yaml(line); break;
                case FileType::shell:
                case FileType::dockerfile: install_command(line); break;
                default: return;
            }
        }
    }

private:
    // `text` is a part of the line's code.
    void add(const TextLine& line, std::string_view text) {
        if (const auto package = required_package(text)) add(line, *package, versions_behind(*package, text));
    }

    void add(const TextLine& line, std::string_view package, std::string_view versions) {
        auto from = static_cast<std::size_t>(package.data() - line.code.data());
        sink_({std::string(package), std::string(versions), line.range(from, from + package.size())});
    }

    void add_quoted(const TextLine& line, std::string_view text) {
        for (std::size_t open = text.find_first_of("\"'"); open != text.npos;) {
            std::size_t close = text.find(text[open], open + 1);
            if (close == text.npos) return;
            add(line, text.substr(open + 1, close - open - 1));
            open = text.find_first_of("\"'", close + 1);
        }
    }

    // dependencies = ["torch", ...] over one or more lines; [tool.poetry.dependencies] with one key for each
    void toml(const TextLine& line) {
        std::string_view code = base::trimmed(line.code, base::kBlanks);
        if (!active_ && code.starts_with('[')) {
            keys_are_packages_ = code.ends_with("dependencies]");
            lists_are_packages_ = code.ends_with("optional-dependencies]") || code == "[dependency-groups]";
            return;
        }
        std::size_t equals = code.find('=');
        std::string_view key = base::trimmed(code.substr(0, equals), base::kBlanks);
        if (!active_ && equals != code.npos) {
            bool list = key == "dependencies" || key == "requires" || lists_are_packages_;
            if (!list) {
                const auto package = keys_are_packages_ ? required_package(key) : std::nullopt;
                if (package) add(line, *package, first_quoted(code.substr(equals + 1)));
                return;
            }
            code.remove_prefix(equals + 1);
            active_ = true;
        }
        if (!active_) return;
        add_quoted(line, code);
        if (code.ends_with(']')) active_ = false;
    }

    // install_requires = with one requirement a line below it
    void setup_cfg(const TextLine& line) {
        std::string_view code = base::trimmed(line.code, base::kBlanks);
        if (code.starts_with('[')) lists_are_packages_ = code == "[options.extras_require]";
        bool indented = !line.code.empty() && (line.code.front() == ' ' || line.code.front() == '\t');
        if (!indented) {
            std::size_t equals = code.find('=');
            active_ =
                equals != code.npos &&
                (lists_are_packages_ || base::trimmed(code.substr(0, equals), base::kBlanks) == "install_requires");
            if (active_) add(line, code.substr(equals + 1));
        } else if (active_) {
            add(line, code);
        }
    }

    // environment.yml: the items below `dependencies:`
    void yaml(const TextLine& line) {
        std::string_view code = base::trimmed(line.code, base::kBlanks);
        if (code.empty()) return;
        if (!line.code.starts_with(' ') && !code.starts_with('-')) active_ = code == "dependencies:";
        if (active_ && code.starts_with("- ") && !code.ends_with(':')) {
            std::string_view item = base::trimmed(code.substr(2), base::kBlanks);
            if (item.starts_with('"') || item.starts_with('\'')) add_quoted(line, item);
            else add(line, item);
        }
    }

    // Where the packages begin that a command installs; npos: it installs none.
    static std::size_t behind_install(std::string_view code) {
        static constexpr std::array<std::string_view, 4> kTools{"pip", "pip3", "conda", "mamba"};
        constexpr std::string_view kInstall = "install";
        for (std::size_t at = code.find(kInstall); at != code.npos; at = code.find(kInstall, at + 1)) {
            const std::string_view before = code.substr(0, at);
            const std::string_view tool = before.substr(0, before.find_last_not_of(base::kBlanks) + 1);
            const bool installs =
                tool.size() < before.size() &&
                std::ranges::any_of(kTools, [&](std::string_view name) { return tool.ends_with(name); });
            if (installs) return at + kInstall.size();
        }
        return code.npos;
    }

    // pip install a b; also over continued lines
    void install_command(const TextLine& line) {
        std::string_view rest = line.code;
        if (!active_) {
            const std::size_t begin = behind_install(rest);
            if (begin == rest.npos) return;
            rest = rest.substr(begin);
            active_ = true;
        }
        bool continued = base::trimmed(line.code, base::kBlanks).ends_with('\\');
        while (!rest.empty()) {
            std::size_t begin = rest.find_first_not_of(" \t\\");
            if (begin == rest.npos) break;
            std::size_t end = std::min(rest.find_first_of(" \t", begin), rest.size());
            std::string_view word = rest.substr(begin, end - begin);
            rest.remove_prefix(end);
            if (word == "&&" || word == "||" || word == "|" || word == ";") {
                active_ = false;
                if (rest.find("install") != rest.npos)
                    install_command({line.begin + static_cast<std::size_t>(rest.data() - line.code.data()), rest});
                return;
            }
            if (skip_word_) {
                skip_word_ = false;
                continue;
            }
            skip_word_ = word == "-r" || word == "-i" || word == "-c" || word == "-f" || word == "--index-url" ||
                         word == "--extra-index-url" || word == "--find-links" || word == "--requirement";
            if (skip_word_) continue;
            if (word.starts_with('"') || word.starts_with('\'')) add_quoted(line, word);
            else if (word != "." && !word.starts_with("./")) add(line, word);
        }
        if (!continued) active_ = skip_word_ = false;
    }

    const TextFile& file_;
    Sink sink_;
    bool active_ = false;
    bool skip_word_ = false;
    bool keys_are_packages_ = false;
    bool lists_are_packages_ = false;
};

}  // namespace

void match_text_packages(const TextFile& file, FindingSink& sink) {
    if (!lists_packages(file)) return;
    PackageFinder(file, [&](const RequiredPackage& package) {
        auto finding = package_finding(*file.rules, package.name, package.place);
        if (finding) sink.push_back(std::move(*finding));
    }).run();
}

std::vector<RequiredPackage> required_packages(const SourceFile& file) {
    if (file.type == FileType::python)
        return base::file_name(file.path) == "setup.py" ? packages_of_script(file) : std::vector<RequiredPackage>{};
    const RuleSet no_rules;
    const TextFile text = read_text_file(file, file.text, no_rules);
    std::vector<RequiredPackage> out;
    if (lists_packages(text))
        PackageFinder(text, [&](RequiredPackage package) { out.push_back(std::move(package)); }).run();
    return out;
}

}  // namespace migrator
