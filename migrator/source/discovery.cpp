#include "migrator/source/discovery.h"

#include <array>
#include <functional>
#include <utility>

#include "base/text.h"
#include "migrator/source/mentions.h"
#include "migrator/source/walk.h"

namespace migrator {

using base::Path;

namespace {

constexpr std::uint64_t kMostScriptBytes = 4 << 20;
constexpr auto kNamingLists = std::to_array<std::string_view>({"-c", "--constraint", "-r", "--requirement"});

bool may_install(FileType type) {
    using enum FileType;
    constexpr std::array kTypes{dockerfile, makefile, notebook, script, shell};
    return base::contains(kTypes, type);
}

// What stands behind -r and its like: in the lines of a list of requirements, or behind the command that reads one.
void for_each_list(std::string_view text, bool is_list, const std::function<void(std::string_view path)>& call) {
    bool installs = is_list;
    for (const std::string_view line : base::split(text, '\n')) {
        bool is_next = false;
        for (const std::string_view part : base::split(base::trimmed(line), ' ')) {
            if (part.empty()) continue;
            if (part == "install") installs = true;
            std::string_view word = base::trimmed(part.substr(0, part.find_first_of("&;|#")), "\"'\\");
            const std::size_t sign = word.starts_with("--") ? word.find('=') : word.npos;
            const bool is_named = base::contains(kNamingLists, word.substr(0, sign));
            const bool is_joined = is_list && word.starts_with("-r") && word.size() > 2;
            if (is_named && sign != word.npos) word.remove_prefix(sign + 1);
            else if (is_joined) word.remove_prefix(2);
            else if (!std::exchange(is_next, is_named)) word = {};
            if (installs && !word.empty()) call(word.substr(0, word.find_first_of("\"'\\")));
            if (!is_list && part.find_first_of("&;|") != part.npos) installs = false;
        }
        if (!line.ends_with('\\')) installs = is_list;
    }
}

// Lists of requirements by what reads them, whatever they are called: "-r deps.txt".
void follow_requirements(Walk& walk) {
    std::vector<Path> pending;
    for (const FoundFile& file : walk.list().files) {
        const bool is_read = file.type == FileType::requirements || may_install(file.type);
        if (file.analysed && is_read && file.bytes <= kMostScriptBytes) pending.push_back(file.path);
    }
    while (!pending.empty()) {
        const Path path = std::move(pending.back());
        pending.pop_back();
        const auto text = base::read_file(walk.fs(), base::join(walk.list().root, path), kMostScriptBytes);
        if (!text) continue;
        for_each_list(*text, !may_install(file_type_of(path)), [&](std::string_view named) {
            for (const Path& from : {base::directory_below(path), Path()}) {
                const Path list = base::normal_path(base::join(from, named));
                if (base::stays_below(list) && walk.take_as_requirements(list)) pending.push_back(list);
            }
        });
    }
}

}  // namespace

base::Result<FileList> discover(base::FileSystem& fs, const Path& path, const DiscoveryOptions& options) {
    TRY_ASSIGN(const base::FileInfo info, fs.info(path));
    if (info.kind != base::FileKind::directory) {
        Walk walk(fs, base::parent(path), options);
        walk.add_named_file(Path(base::file_name(path)));
        return std::move(walk.list());
    }
    // The user named this directory, so a failure to list it is no detail.
    TRY(fs.list(path));
    Walk walk(fs, path, options);
    walk.read_all();
    walk.sort();
    follow_mentions(walk, options.paths);
    follow_requirements(walk);
    if (walk.list().files.empty() && walk.list().left_out.empty())
        return base::fail(base::ErrorKind::bad_input, "the directory has no file that can be analysed", path);
    return std::move(walk.list());
}

}  // namespace migrator
