// ImportPlan: how the import statements of a file change when imported names get new names.
//
// An import and the uses of what it binds belong together: the edits of a statement, with those of its uses where the
// bound name changes, are one group that is made as a whole or not at all.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "migrator/python/python_file.h"

namespace migrator {

class ImportPlan {
public:
    explicit ImportPlan(const PythonFile& file);

    // The edits that the import of this name needs; empty when it stays as it is.
    const std::vector<Edit>& edits_of(const ImportedName& import) const;
    // The edits of the import that binds what the identifier `root` refers to as `qualified`; empty when there is none,
    // or when it stays.
    const std::vector<Edit>& edits_of_root(NodeId root, std::string_view qualified) const;
    // A `from module import *` stays as it is.
    bool star_stays(std::string_view module) const { return staying_stars_.contains(module); }
    // The new name that `qualified` gets when it is imported, or nullopt.
    std::optional<std::string> new_name(std::string_view qualified) const;

private:
    struct Change {
        const ImportedName* import = nullptr;
        std::string to;  // new qualified name; the old one for a name that stays
        bool to_member = false;
        bool moves = false;
        std::string bound_as;  // the name it is to be bound to
    };

    void plan_plain(const ImportedName& import);
    void plan_from(NodeId statement, const std::vector<const ImportedName*>& names);
    // Decides whether the bound name follows the new one, and adds the edits of the uses if it does.
    std::string new_bound_name(const Change& change, std::vector<Edit>& edits) const;
    void note_changed();
    bool is_other_variable(const ImportedName& import, NodeId id, bool is_declared_global) const;
    bool collect_uses(const ImportedName& import, const std::string& bound, std::vector<Edit>& edits) const;
    using Targets = std::set<std::string, std::less<>>;  // modules
    static std::vector<std::string> statements_for(const std::vector<Change>& changes, const Targets& targets);
    std::vector<Edit> split(NodeId statement, std::vector<Change>& changes) const;
    void remove_names(NodeId statement, const std::vector<Change>& changes, const std::string& stays,
                      std::vector<Edit>& edits) const;
    Edit insert_statements(NodeId statement, const std::vector<std::string>& lines) const;

    const PythonFile& file_;
    std::map<NodeId, std::vector<Edit>> by_node_;  // ImportedName::node -> the whole group
    base::StringMap<NodeId> changed_;              // bound_key -> the first import that changes
    base::StringSet staying_stars_;                // modules
};

// The edits that turn the dotted text `old_name` at `range` into `new_name`, touching only the parts that differ.
std::vector<Edit> rename_dotted(base::ByteRange range, std::string_view old_name, std::string_view new_name);

}  // namespace migrator
