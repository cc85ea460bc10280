#include "migrator/project/own_packages.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/match/required_packages.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::uint64_t kMostSourceBytes = 4 << 20;
constexpr std::size_t kMostLevels = 3;  // of directories without a repository: that of the project, and above it
constexpr auto kModuleEnds = std::to_array<std::string_view>({".py", ".pyd", ".pyx", ".so"});
constexpr auto kSetups = std::to_array<std::string_view>({"pyproject.toml", "setup.cfg", "setup.py"});

bool is_module_file(std::string_view file) {
    return std::ranges::any_of(kModuleEnds, [&](std::string_view end) { return file.ends_with(end); });
}

bool is_setup(std::string_view path) { return base::contains(kSetups, base::file_name(path)); }

// "pkg" of "pkg", "pkg._C" and "pkg.cpython-311-x86_64-linux-gnu.so"
std::string_view stem(std::string_view name) { return name.substr(0, name.find('.')); }

std::string_view without_blanks(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

// The name behind one of the texts; empty when something else stands there.
std::string_view name_behind(std::string_view text, bool in_brackets) {
    if (in_brackets) {
        text = without_blanks(text);
        if (!text.starts_with('(')) return {};
        text = without_blanks(text.substr(1));
    }
    const auto end = std::ranges::find_if_not(text, base::is_word_char);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

}  // namespace

base::Result<OwnPackages> OwnPackages::find(base::FileSystem& fs, const Project& project,
                                            const base::DataStore& store) {
    TRY_ASSIGN(const auto facts, base::read_rule_record<OwnModuleFacts>(store, "rules/packages/own_modules.json"));
    OwnPackages out(fs, project);
    for (const std::string& module : project.modules.all()) out.add(stem(module));
    for (const FoundFile& file : project.files.files) {
        out.add_file(file);
        const bool is_built = file.type == FileType::cpp || file.type == FileType::cuda || file.type == FileType::cmake;
        if (!file.analysed || file.bytes > kMostSourceBytes || !(is_built || is_setup(file.path))) continue;
        auto bytes = project.read(fs, file.path);
        if (!is_built) out.add_named_by(file.path, std::move(bytes));
        else if (bytes) out.add_built(*bytes, facts);
    }
    return out;
}

void OwnPackages::add(std::string_view name) {
    if (!name.empty()) names_.insert(normalise_distribution(name));
}

void OwnPackages::add_file(const FoundFile& file) {
    const std::string_view name = base::file_name(file.path);
    if (is_module_file(name)) add(outermost_name(file.path));
    // What the compiler of protocols makes of it.
    if (!name.ends_with(".proto")) return;
    for (const std::string_view end : {"_pb2", "_pb2_grpc"}) add(std::string(stem(name)) + std::string(end));
}

// The package that the file is in without a gap, or its module in none.
std::string OwnPackages::outermost_name(const Path& file) const {
    const std::vector<FoundFile>& files = project_.files.files;
    Path out = file;
    for (Path directory = base::directory_below(file); !directory.empty();
         directory = base::directory_below(directory)) {
        if (!std::ranges::binary_search(files, base::join(directory, "__init__.py"), {}, &FoundFile::path)) break;
        out = directory;
    }
    return std::string(stem(base::file_name(out)));
}

void OwnPackages::add_built(std::string_view text, const OwnModuleFacts& facts) {
    for (std::string_view front : facts.in_front) {
        const bool in_brackets = front.ends_with('(');
        if (in_brackets) front.remove_suffix(1);
        for (std::size_t at = text.find(front); at != text.npos; at = text.find(front, at + front.size())) {
            if (at == 0 || !base::is_word_char(text[at - 1]))
                add(name_behind(text.substr(at + front.size()), in_brackets));
        }
    }
}

void OwnPackages::add_named_by(const Path& setup, base::Result<std::string> bytes) {
    if (!bytes) return;
    const SourceFile file = make_source_file(setup, file_type_of(setup), std::move(*bytes));
    if (file.problem) return;
    for (const std::string& name : own_names(file)) {
        add(name);
        add(stem(name));
    }
}

bool OwnPackages::contains(std::string_view name) {
    const std::string key = normalise_distribution(name);
    if (names_.contains(key)) return true;
    if (project_.standard_input) return false;
    if (!has_looked_above_) look_above();
    if (names_.contains(key)) return true;
    const auto found = above_.find(key);
    return found != above_.end() &&
           std::ranges::any_of(found->second, [&](const Path& directory) { return holds_modules(directory, 1); });
}

// One file or a folder of a project may be all that is analysed, and imports what is not.
void OwnPackages::look_above() {
    has_looked_above_ = true;
    std::vector<Path> directories = base::directories_above(fs_, project_.files.root);
    // Without a repository nothing says where the project ends; it is not the whole disk.
    const bool is_repository = fs_.exists(base::join(directories.back(), ".git"));
    if (!is_repository) directories.resize(std::min(directories.size(), kMostLevels));
    if (directories.back() == "/") directories.pop_back();
    for (const Path& directory : directories) {
        for (const Path& place : {directory, base::join(directory, "src")}) {
            const auto entries = base::list_if_there(fs_, place);
            if (!entries) continue;
            for (const base::DirectoryEntry& entry : *entries) {
                const Path path = base::join(place, entry.name);
                if (is_module_file(entry.name)) add(stem(entry.name));
                else if (entry.kind != base::FileKind::regular)
                    above_[normalise_distribution(entry.name)].push_back(path);
                if (is_setup(entry.name)) add_named_by(path, base::read_file(fs_, path, kMostSourceBytes));
            }
        }
    }
}

// Itself, or one in it. What is set up by itself is a project of its own beside this one.
bool OwnPackages::holds_modules(const Path& directory, int levels) {
    const auto entries = base::list_if_there(fs_, directory);
    if (!entries || std::ranges::any_of(*entries, is_setup, &base::DirectoryEntry::name)) return false;
    if (std::ranges::any_of(*entries, is_module_file, &base::DirectoryEntry::name)) return true;
    return levels > 0 && std::ranges::any_of(*entries, [&](const base::DirectoryEntry& entry) {
               return entry.kind == base::FileKind::directory &&
                      holds_modules(base::join(directory, entry.name), levels - 1);
           });
}

}  // namespace migrator
