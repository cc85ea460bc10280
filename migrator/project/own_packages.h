// OwnPackages: what a project imports as its own, though no analysed file is its source: rules/packages/own_modules.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"
#include "base/string_map.h"
#include "migrator/project/project.h"

namespace migrator {

struct OwnModuleFacts : base::RuleFileHead {
    std::vector<std::string> in_front;
};
constexpr auto record_of(const OwnModuleFacts*) {
    return base::extended(record_of(static_cast<const base::RuleFileHead*>(nullptr)), "own_modules",
                          "how sources that are no Python name modules of it",
                          base::field("in_front", &OwnModuleFacts::in_front,
                                      "texts before such a name; blanks around a bracket make no difference")
                              .needed());
}

class OwnPackages {
public:
    // All must outlive it. Fails with rule_data.
    static base::Result<OwnPackages> find(base::FileSystem& fs, const Project& project, const base::DataStore& store);

    // By the first part of a module's name, or a distribution: of a file of the project, also one that is not analysed, of
    // what its sources and its setup make, or of what lies beside or above the project.
    bool contains(std::string_view name);

private:
    OwnPackages(base::FileSystem& fs, const Project& project) : fs_(fs), project_(project) {}
    void add(std::string_view name);
    void add_file(const FoundFile& file);
    void add_built(std::string_view text, const OwnModuleFacts& facts);
    void add_named_by(const base::Path& setup, base::Result<std::string> bytes);
    void look_above();
    bool holds_modules(const base::Path& directory, int levels);
    std::string outermost_name(const base::Path& file) const;

    base::FileSystem& fs_;
    const Project& project_;
    base::StringSet names_;                             // normalised
    base::StringMap<std::vector<base::Path>> above_{};  // directories beside or above the project, by normalised name
    bool has_looked_above_ = false;
};

}  // namespace migrator
