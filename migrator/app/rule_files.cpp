#include "migrator/app/rule_files.h"

#include "base/check.h"
#include "base/file_set.h"
#include "base/format.h"
#include "migrator/project/knowledge.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::string_view kRules = "rules";

// The names that files of an overlay have in the store, as DataStore::overlay gives them.
std::vector<std::string> rule_files_in(const base::DataStore& store) {
    std::vector<std::string> out;
    for (const std::string& name : store.list(base::format("{}/", kRules), ".json")) {
        if (!store.is_built_in(name) && name.find("/cases/") == std::string::npos) out.push_back(name);
    }
    return out;
}

std::string replaced(std::string_view text, std::string_view word, std::string_view by) {
    std::string out(text);
    for (std::size_t at = out.find(word); at != out.npos; at = out.find(word, at + by.size()))
        out.replace(at, word.size(), by);
    return out;
}

}  // namespace

base::Result<RuleFileCheck> check_rule_files(base::FileSystem& fs, const Path& directory) {
    base::DataStore all;
    TRY(all.overlay(fs, directory, place_of_rules(directory)));
    RuleFileCheck out;
    for (const std::string& name : rule_files_in(all)) {
        ++out.files;
        if (!RuleSet::is_read(name)) {
            out.problems.push_back({base::ErrorKind::rule_data,
                                    "rules are read from the directory itself and from its folders " +
                                        base::joined(RuleSet::folders(), ", ") + "; put the file into one of them",
                                    all.origin(name),
                                    {}});
            continue;
        }
        base::DataStore one;
        TRY(one.add(fs, all.origin(name), name));
        if (auto loaded = RuleSet::load(one); !loaded) out.problems.push_back(loaded.error());
    }
    if (!out.problems.empty()) return out;
    if (auto loaded = load_knowledge(fs, directory); !loaded) out.problems.push_back(loaded.error());
    return out;
}

base::Result<std::vector<Path>> write_rule_template(base::FileSystem& fs, const Path& file) {
    constexpr std::string_view kSuffix = ".json";
    std::string name(base::file_name(file));
    if (!name.ends_with(kSuffix) || name.size() == kSuffix.size())
        return base::fail(base::ErrorKind::usage, "name a rule file that ends in .json, such as my_rules/house.json",
                          file);
    name.resize(name.size() - kSuffix.size());
    const std::pair<std::string_view, Path> files[] = {
        {"templates/rules/rule.json", name + ".json"},
        {"templates/rules/case.py", base::format("cases/{}.py", name)},
        {"templates/rules/case.expected.py", base::format("cases/{}.expected.py", name)},
    };
    const Path directory = base::parent(file);
    TRY_ASSIGN(auto set, base::FileSet::begin(fs, directory, base::FileSet::Place::new_names));
    std::vector<Path> written;
    const base::DataStore store;
    for (const auto& [from, to] : files) {
        const std::string_view* text = store.find(from);
        CHECK(text != nullptr);
        TRY(set.add(to, replaced(*text, "NAME", name)));
        written.push_back(directory == "." ? to : base::join(directory, to));
    }
    TRY(set.commit());
    return written;
}

}  // namespace migrator
