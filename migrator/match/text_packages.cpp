#include <algorithm>
#include <array>

#include "base/file_system.h"
#include "base/string_map.h"
#include "base/text.h"
#include "migrator/match/required_packages.h"
#include "migrator/match/requirement.h"
#include "migrator/match/setup_script.h"
#include "migrator/match/text_file.h"
#include "migrator/python/literal.h"

namespace migrator {
namespace {

// Up to a marker, or the options of pip.
std::string_view versions_behind(std::string_view package, std::string_view text) {
    std::string_view rest = text.substr(static_cast<std::size_t>(package.data() + package.size() - text.data()));
    if (rest.starts_with('[')) rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    rest = rest.substr(0, rest.find_first_of(";#"));
    return base::trimmed(rest.substr(0, rest.find(" --")));
}

// "name" of "./libs/name", which is a directory of this machine and no package that has a name.
bool is_in_path(std::string_view package, std::string_view text) {
    const std::string_view before(text.data(), static_cast<std::size_t>(package.data() - text.data()));
    return before.find('/') != before.npos && before.find("://") == before.npos && text.find(".whl") == text.npos;
}

// Every string that could be a requirement; listed are those of install_requires and its like.
std::vector<RequiredPackage> packages_of_script(const SourceFile& file) {
    std::vector<RequiredPackage> out;
    const SyntaxTree tree = SyntaxTree::parse(file.text);
    const std::vector<NodeId> required = read_setup_script(tree).required;
    for (const Literal& literal : read_literals(tree)) {
        const auto package = required_package(literal.text);
        if (!package) continue;
        const std::string_view versions = versions_behind(*package, literal.text);
        out.push_back({std::string(*package), std::string(versions), tree.range(literal.node),
                       std::ranges::binary_search(required, literal.node)});
    }
    return out;
}

// The names of what a pyproject.toml or setup.cfg is for.
std::vector<std::string_view> named_by(const TextContents& contents) {
    constexpr auto kNamed = std::to_array<std::string_view>({"ext-modules", "metadata", "module", "poetry", "project"});
    constexpr auto kLists = std::to_array<std::string_view>({"module-name", "packages", "py-modules", "py_modules"});
    constexpr auto kBuilders = std::to_array<std::string_view>({"maturin", "options", "setuptools"});
    std::vector<std::string_view> out;
    for (const TextSetting& setting : contents.settings) {
        if (setting.key == kNoKey) continue;
        const std::string_view key = contents.name_of(setting.key);
        const std::string_view parent = contents.name_of(contents.keys[setting.key].parent);
        if ((key == "name" && base::contains(kNamed, parent)) ||
            (base::contains(kLists, key) && base::contains(kBuilders, parent)))
            out.push_back(setting.text);
    }
    return out;
}

class PackageFinder {
public:
    explicit PackageFinder(const TextFile& file) : file_(file) {}

    std::vector<RequiredPackage> run() {
        switch (file_.type) {
            case FileType::requirements:
                for (const std::string_view line : contents().code) add(line);
                break;
            case FileType::toml: toml(); break;
            case FileType::setup_cfg: setup_cfg(); break;
            case FileType::yaml: environment(); break;
            case FileType::ini: tox(); break;
            default: break;
        }
        for (const TextCommand& command : contents().commands) install(command);
        return std::move(found_);
    }

private:
    const TextContents& contents() const { return file_.contents; }
    std::string_view parent_of(KeyId key) const {
        return key == kNoKey ? std::string_view() : contents().name_of(contents().keys[key].parent);
    }

    // `text` is a part of the file.
    void add(std::string_view text) {
        // conda: channel::package, channel/label/name::package
        if (const std::size_t channel = text.find("::"); channel != text.npos && text.find(':') == channel)
            text.remove_prefix(channel + 2);
        const auto package = required_package(text);
        if (!package) return;
        const std::string_view versions = versions_behind(*package, text);
        // name=version=build, where a build asks for one package more: py3.10_cuda11.8_cudnn8.7.0_0
        const std::size_t at = versions.starts_with('=') ? versions.find('=', 1) : versions.npos;
        const bool has_build = at != versions.npos && at > 1;
        const std::string_view build = has_build ? versions.substr(at + 1) : std::string_view();
        // A library of the system has a build without Python.
        const bool is_of_python = !has_build || build.find("py") != build.npos;
        add(*package, versions, is_of_python && !is_in_path(*package, text));
        if (has_build) add_build(build);
    }
    // conda: the packages that a build asks for by their names, with versions behind them.
    void add_build(std::string_view build) {
        for (std::string_view part : base::split(build, '_')) {
            part = base::trimmed(part, "*");
            part = part.substr(0, part.find_first_of("0123456789"));
            if (!part.empty()) add(part, {}, false);
        }
    }
    void add(std::string_view package, std::string_view versions, bool is_listed = true) {
        found_.push_back({std::string(package), std::string(versions), contents().place(package), is_listed});
    }

    // dependencies = ["torch>=2", ...], and tables with a key for each package: torch = "^2.1", torch = {version = "^2.1"}
    void toml() {
        constexpr auto kProjects =
            std::to_array<std::string_view>({"pyproject.toml", "hatch.toml", "pixi.toml", "tox.toml"});
        constexpr auto kLists = std::to_array<std::string_view>(
            {"dependencies", "extra-dependencies", "dev-dependencies", "requires", "deps"});
        const std::string_view name = base::file_name(file_.path);
        const bool is_project = base::contains(kProjects, name);
        if (!is_project && name != "Pipfile") return;
        std::vector<char> is_list(contents().keys.size());
        for (const TextSetting& setting : contents().settings) {
            const std::string_view key = contents().name_of(setting.key);
            const std::string_view parent = parent_of(setting.key);
            // PDM: dev-dependencies has a list for each purpose.
            const bool is_group = setting.lists > 0 && parent == "dev-dependencies";
            if (is_group) is_list[setting.key] = true;
            if (base::contains(kLists, key) || is_group || parent == "optional-dependencies" ||
                parent == "dependency-groups")
                add(setting.text);
            if (key == "build" && !parent.empty()) add_build(setting.text);
        }
        const std::vector<std::string_view> versions = versions_by_key();
        for (KeyId key = 0; key < contents().keys.size(); ++key) {
            const std::string_view parent = parent_of(key);
            const bool holds_packages = is_project
                                            ? parent.ends_with("dependencies") && parent != "optional-dependencies"
                                            : parent == "packages" || parent == "dev-packages";
            // dependencies = {file = ["requirements.txt"]}
            if (!holds_packages || is_list[key] || parent_of(contents().keys[key].parent) == "dynamic") continue;
            if (const auto package = required_package(contents().name_of(key))) add(*package, versions[key]);
        }
        // all = ["name[test]"]: of the project itself
        base::StringSet own;
        for (const std::string_view named : named_by(contents())) own.insert(normalise_distribution(named));
        std::erase_if(
            found_, [&](const RequiredPackage& package) { return own.contains(normalise_distribution(package.name)); });
    }

    // The value of each key, or of `version` behind it.
    std::vector<std::string_view> versions_by_key() const {
        std::vector<std::string_view> out(contents().keys.size());
        for (const TextSetting& setting : contents().settings) {
            if (setting.key == kNoKey) continue;
            const TextKey& key = contents().keys[setting.key];
            out[key.name == "version" && key.parent != kNoKey ? key.parent : setting.key] = setting.text;
        }
        return out;
    }

    void setup_cfg() {
        for (const TextSetting& setting : contents().settings) {
            if (contents().name_of(setting.key) == "install_requires" ||
                parent_of(setting.key) == "options.extras_require")
                add(setting.text);
        }
    }

    // tox.ini: deps, a line each, also with the factor that it is for: `cuda: cupy-cuda12x`
    void tox() {
        if (base::file_name(file_.path) != "tox.ini") return;
        for (const TextSetting& setting : contents().settings) {
            if (contents().name_of(setting.key) != "deps") continue;
            const std::size_t factor = setting.text.find(": ");
            add(factor == setting.text.npos ? setting.text : base::trimmed(setting.text.substr(factor + 1)));
        }
    }

    // environment.yml: the items below `dependencies:`, and those for pip among them
    void environment() {
        for (const TextSetting& setting : contents().settings) {
            const std::string_view key = contents().name_of(setting.key);
            const std::string_view parent = parent_of(setting.key);
            if ((key == "dependencies" && parent.empty()) || (key == "pip" && parent == "dependencies"))
                add(setting.text);
        }
    }

    // pip install a b, git clone https://host/owner/b
    void install(const TextCommand& command) {
        const ScriptPlaces& places = file_.rules->script_places;
        const auto behind = [&](const std::vector<std::string>& installers) {
            std::size_t first = 0;
            for (const std::string& installer : installers) {
                if (first == 0) first = behind_command(command, installer);
            }
            return first;
        };
        const std::size_t first = behind(places.installers);
        if (first == 0) return;
        const std::size_t before = found_.size();
        for (std::size_t i = first; i < command.words.size(); ++i) {
            const std::string_view word = command.words[i];
            if (base::contains(places.installer_values, word)) ++i;
            else if (word != "." && !word.starts_with("./") && !word.starts_with('-')) add(word);
        }
        // What a workflow installs are tools of its own.
        if (file_.type != FileType::yaml && behind(places.python_installers) != 0) return;
        for (std::size_t i = before; i < found_.size(); ++i) found_[i].is_listed = false;
    }

    const TextFile& file_;
    std::vector<RequiredPackage> found_;
};

// FROM pytorch/pytorch:2.4.0-cuda12.1-cudnn9-devel: images of the framework, whose tags begin with its version.
void add_images(const TextFile& file, std::vector<RequiredPackage>& out) {
    constexpr std::string_view kImage = "pytorch/pytorch:";
    for (const TextCommand& command : file.contents.commands) {
        for (const std::string_view word : command.words) {
            const std::size_t image = command.words.front() == "FROM" ? word.find(kImage) : word.npos;
            if (image == word.npos) continue;
            const std::string_view tag = word.substr(image + kImage.size());
            const std::string_view version = tag.substr(0, tag.find_first_not_of("0123456789."));
            if (!version.empty())
                out.push_back({"torch", "==" + std::string(version), file.contents.place(word), false});
        }
    }
}

}  // namespace

void match_text_packages(const TextFile& file, FindingSink& sink) {
    for (const RequiredPackage& package : PackageFinder(file).run()) {
        auto finding = package_finding(*file.rules, package.name, package.place);
        // "==2.1.2+pt21cu121": a build comes after something else.
        const std::size_t local = package.versions.find('+');
        const std::size_t build = local == package.versions.npos ? local : package.versions.find("cu", local + 2);
        if (!finding && build != package.versions.npos)
            finding = package_finding(*file.rules, package.name + "-" + package.versions.substr(build), package.place);
        if (finding) sink.push_back(std::move(*finding));
    }
}

std::vector<RequiredPackage> required_packages(const SourceFile& file, const RuleSet& rules) {
    if (file.type == FileType::python)
        return base::file_name(file.path) == "setup.py" ? packages_of_script(file) : std::vector<RequiredPackage>{};
    const TextFile text{file.path, file.type, &rules, nullptr, read_text(file.type, file.text, {})};
    std::vector<RequiredPackage> out = PackageFinder(text).run();
    if (file.type == FileType::dockerfile) add_images(text, out);
    return out;
}

std::vector<std::string> own_names(const SourceFile& file) {
    if (file.type == FileType::python) return read_setup_script(SyntaxTree::parse(file.text)).names;
    const TextContents contents = read_text(file.type, file.text, {});
    const std::vector<std::string_view> names = named_by(contents);
    return {names.begin(), names.end()};
}

}  // namespace migrator
