#include "migrator/source/mentions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "base/text.h"
#include "migrator/source/named_modules.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::size_t kLongestName = 1024;  // no longer one is the path of a file
// A directory with more is a data set, and no part of the sources that open it.
constexpr std::size_t kMostOpenedFiles = 1000;
constexpr std::uint64_t kMostOpenedBytes = 64ull << 20;

bool imports(FileType type) {
    return type == FileType::python || type == FileType::cython || type == FileType::notebook;
}

// The first word in a name, by which a text that speaks of it is known: "my-data" is only spoken of where "my" is.
std::string word_of(std::string_view name) {
    std::string out;
    base::any_word(name, [&](std::string_view word) {
        out = word;
        return true;
    });
    return out;
}

// "/data/vocab.txt" behind "${ROOT}" or "$(ROOT)", of a file whose variables nobody follows: without the slash.
std::string_view behind_variable(std::string_view text, std::string_view path) {
    const std::size_t begin = static_cast<std::size_t>(path.data() - text.data());
    const bool is_behind = begin > 0 && (text[begin - 1] == '}' || text[begin - 1] == ')') && path.starts_with('/');
    return is_behind ? path.substr(1) : path;
}

class Mentions {
public:
    Mentions(Walk& walk, const PathReader& reader) : walk_(walk), reader_(reader) {
        const FileList& list = walk_.list();
        for (const LeftOutPath& item : list.left_out) {
            add_word(item.path);
            if (reader_ && item.is_directory) add_entries(item.path);
        }
        for (const FoundFile& file : list.files) {
            if (is_left_as_it_is(file)) add_word(file.path);
        }
        root_name_ = base::file_name(walk_.fs().real_path(list.root).value_or(list.root));
    }

    void follow() {
        if (words_.empty()) return;
        // What is brought in is read in the next round.
        for (;;) {
            std::vector<std::pair<Path, FileType>> texts;
            for (const FoundFile& file : walk_.list().files) {
                if (file.analysed && file.type != FileType::compiled && read_.insert(file.path).second)
                    texts.emplace_back(file.path, file.type);
            }
            if (texts.empty()) return;
            for (const auto& [path, type] : texts) read(path, type);
            if (wanted_.empty()) return;
            bring_in();
        }
    }

private:
    // Of a file that was listed, but not analysed: not for what the user has said.
    static bool is_left_as_it_is(const FoundFile& file) {
        return !file.skipped_because.empty() && file.kind == base::FileKind::regular &&
               file.skipped_because.find("--exclude") == std::string::npos &&
               !file.skipped_because.starts_with("not matched");
    }

    void add_word(const Path& path) {
        const std::string_view name = base::file_name(path);
        const bool is_package = name.starts_with("__init__.");
        words_.insert(word_of(is_package ? base::file_name(base::parent(path)) : name));
    }

    // What may be opened in the directory by a path whose beginning is not known.
    void add_entries(const Path& directory) {
        const auto entries = walk_.fs().list(base::join(walk_.list().root, directory));
        if (!entries || entries->size() > kMostOpenedFiles) return;
        for (const base::DirectoryEntry& entry : *entries) {
            words_.insert(word_of(entry.name));
            holders_[entry.name].push_back(directory);
        }
    }

    void read(const Path& path, FileType type) {
        const auto text = base::read_file(walk_.fs(), base::join(walk_.list().root, path));
        // What lies in a directory that was left out finds the rest of it without its name.
        const auto speaks = [&](std::string_view word) { return words_.contains(std::string(word)); };
        if (!text || (left_out(path) == nullptr && !base::any_word(*text, speaks))) return;
        const Path beside = base::directory_below(path);
        if (imports(type)) {
            for_each_import(*text, [&](const NamedModule& named) {
                if (named.dots > 0) want_relative(named, beside);
                else want_module(named.name, beside);
            });
        }
        const bool is_composed = imports(type) || type == FileType::shell;
        const PathsOfFile composed = reader_ ? reader_(path, type, *text) : PathsOfFile();
        for (const NamedPath& named : composed.named) want_named(named, beside);
        for_each_path(*text, [&](std::string_view named, bool is_quoted) {
            if (!is_composed) named = behind_variable(*text, named);
            if (composed.written.contains(base::normal_path(Path(named)))) return;
            for (const Path& from : {Path(), beside}) want_file(base::normal_path(base::join(from, named)));
            if (named.find('.') != named.npos && named.find('/') == named.npos && (is_quoted || !imports(type)))
                want_module(named, beside);
        });
    }

    void want_relative(const NamedModule& named, Path directory) {
        for (std::size_t i = 1; i < named.dots && !directory.empty(); ++i) directory = base::directory_below(directory);
        want_below(directory, named.name);
    }

    // A module counts from the root, from `src`, from above the root where that is a package, or from the program's directory.
    void want_module(std::string_view name, const Path& beside) {
        const std::string_view inside = name.substr(std::min(name.find('.'), name.size()));
        const bool is_of_root = !inside.empty() && name.substr(0, name.size() - inside.size()) == root_name_;
        if (want_below("", name) || want_below("src", name) || (!beside.empty() && want_below(beside, name)) ||
            !is_of_root)
            return;
        want_below("", inside.substr(1));
    }

    // The longest beginning of the name that is a module. True when there is one, left out or not.
    bool want_below(const Path& directory, std::string_view name) {
        name = name.substr(0, kLongestName);
        while (!name.empty()) {
            Path module(name);
            std::replace(module.begin(), module.end(), '.', '/');
            module = base::join(directory, module);
            for (const Path& file : {module + ".py", base::join(module, "__init__.py")}) {
                if (!base::stays_below(file)) continue;
                if (is_analysed(file)) return true;
                if (!want(file, true)) continue;
                // The packages that it is in are loaded before.
                for (Path package = base::directory_below(file); package != directory && !package.empty();
                     package = base::directory_below(package))
                    want(base::join(package, "__init__.py"), true);
                return true;
            }
            name = name.substr(0, name.rfind('.') == name.npos ? 0 : name.rfind('.'));
        }
        return false;
    }

    void want_file(const Path& path) {
        if (base::stays_below(path)) want(path, false);
    }

    void want_named(const NamedPath& named, const Path& beside) {
        std::set<Path> places{named.path};
        if (named.from != NamedPath::From::root) {
            places.insert(base::normal_path(base::join(beside, named.path)));
            // Of a package.
            if (!named.path.starts_with("..")) places.insert(base::join("src", named.path));
        }
        for (const Path& path : places) {
            if (base::stays_below(path) && !want(path, false)) want_directory(path);
        }
        if (named.from != NamedPath::From::unknown || !ends_.insert(named.path).second) return;
        const auto holders = holders_.find(named.path.substr(0, named.path.find('/')));
        if (holders == holders_.end()) return;
        for (const Path& directory : holders->second) want_file(base::join(directory, named.path));
    }

    void want_directory(const Path& path) {
        const LeftOutPath* item = left_out(path);
        if (item == nullptr || !looked_at_.insert(path).second) return;
        const Size size = size_of(path);
        if (size == Size::none) return;
        if (size == Size::usual) wanted_.insert_or_assign(path, LeftOutPath{path, true, false, item->ignore});
        else walk_.list().too_large.insert(path);
    }

    enum class Size { none, usual, too_large };

    // Of what the links in it lead to nothing counts.
    Size size_of(const Path& directory) const {
        std::size_t files = 0;
        std::uint64_t bytes = 0;
        std::vector<Path> pending{base::join(walk_.list().root, directory)};
        const auto top = walk_.fs().link_info(pending.front());
        if (!top || top->kind != base::FileKind::directory) return Size::none;
        while (!pending.empty()) {
            const Path next = std::move(pending.back());
            pending.pop_back();
            const auto entries = walk_.fs().list(next);
            if (!entries) continue;
            for (const base::DirectoryEntry& entry : *entries) {
                Path path = base::join(next, entry.name);
                const auto info = walk_.fs().link_info(path);
                bytes += info && info->kind == base::FileKind::regular ? info->bytes : 0;
                if (++files > kMostOpenedFiles || bytes > kMostOpenedBytes) return Size::too_large;
                if (entry.kind == base::FileKind::directory) pending.push_back(std::move(path));
            }
        }
        return files == 0 ? Size::none : Size::usual;
    }

    bool is_analysed(const Path& path) const {
        const FoundFile* file = find(path);
        return file != nullptr && file->analysed;
    }

    const FoundFile* find(const Path& path) const {
        const std::vector<FoundFile>& files = walk_.list().files;
        const auto found = std::ranges::lower_bound(files, path, {}, &FoundFile::path);
        return found != files.end() && found->path == path ? &*found : nullptr;
    }

    // What holds the path, of what was left out: the path itself or a directory above it.
    const LeftOutPath* left_out(const Path& path) const {
        const std::vector<LeftOutPath>& items = walk_.list().left_out;
        for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
            const std::string_view part = std::string_view(path).substr(0, end);
            const auto found = std::ranges::lower_bound(
                items, part, {}, [](const LeftOutPath& item) { return std::string_view(item.path); });
            if (found != items.end() && found->path == part) return &*found;
            if (end == path.npos) return nullptr;
        }
    }

    bool want(const Path& path, bool as_module) {
        if (wanted_.contains(path)) return true;
        if (const FoundFile* file = find(path)) {
            // What is opened is in the copy already, and what is vendored is not mended because a text names it.
            const bool is_wanted =
                is_left_as_it_is(*file) && (as_module || file->skipped_because == "excluded by .gitignore");
            if (is_wanted) wanted_.emplace(path, std::nullopt);
            return is_wanted;
        }
        const LeftOutPath* item = left_out(path);
        if (item == nullptr || missing_.contains(path)) return false;
        const auto info = walk_.fs().link_info(base::join(walk_.list().root, path));
        const bool is_link = info && info->kind == base::FileKind::symlink && !as_module;
        if (!info || (info->kind != base::FileKind::regular && !is_link)) {
            missing_.insert(path);
            return false;
        }
        if (as_module && item->is_directory) wanted_.insert_or_assign(item->path, *item);
        else wanted_.emplace(path, std::nullopt);
        return true;
    }

    void bring_in() {
        FileList& list = walk_.list();
        std::vector<LeftOutPath> directories;
        std::set<Path> analysed;
        for (const auto& [path, directory] : wanted_) {
            if (directory && !is_in_wanted(path)) directories.push_back(*directory);
            else if (find(path) != nullptr) analysed.insert(path);
        }
        for (FoundFile& file : list.files) {
            if (!analysed.contains(file.path)) continue;
            (file.skipped_because == "excluded by .gitignore" ? list.in_by_name : list.analysed_by_name)
                .push_back(file.path);
            walk_.analyse(file);
        }
        for (const auto& [path, directory] : wanted_) {
            if (analysed.contains(path) || is_in_wanted(path)) continue;
            list.in_by_name.push_back(path);
            if (!directory) walk_.bring_in_file(path);
        }
        for (const LeftOutPath& directory : directories) {
            const Path inside = base::join(directory.path, "");
            std::erase_if(list.in_by_name, [&](const Path& path) { return path.starts_with(inside); });
            walk_.bring_in(directory);
        }
        std::erase_if(list.left_out, [&](const LeftOutPath& item) { return wanted_.contains(item.path); });
        wanted_.clear();
        // A directory that was brought in has listed the files of it again that were in already.
        std::ranges::stable_sort(list.files, {}, &FoundFile::path);
        const auto is_again = [](const FoundFile& a, const FoundFile& b) { return a.path == b.path; };
        list.files.erase(std::unique(list.files.begin(), list.files.end(), is_again), list.files.end());
        walk_.sort();
        std::erase_if(list.too_large, [&](const Path& path) { return left_out(path) == nullptr; });
        std::ranges::sort(list.in_by_name);
        std::ranges::sort(list.analysed_by_name);
    }

    bool is_in_wanted(const Path& path) const {
        for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1)) {
            const auto found = wanted_.find(path.substr(0, end));
            if (found != wanted_.end() && found->second) return true;
        }
        return false;
    }

    Walk& walk_;
    const PathReader& reader_;
    std::string root_name_;
    std::unordered_set<std::string> words_;
    std::set<Path> read_;
    std::set<Path> missing_;
    std::set<Path> looked_at_;                                    // directories that are opened
    std::set<Path> ends_;                                         // of paths whose beginning is not known
    std::unordered_map<std::string, std::vector<Path>> holders_;  // by the name of an entry: directories left out
    std::map<Path, std::optional<LeftOutPath>> wanted_;           // nullopt: a file
};

}  // namespace

void follow_mentions(Walk& walk, const PathReader& reader) { Mentions(walk, reader).follow(); }

}  // namespace migrator
