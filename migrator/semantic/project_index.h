// ProjectIndex: what the modules of a project mean to each other: re-exports, classes and functions of other files.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_map.h"
#include "migrator/semantic/packed_summary.h"
#include "migrator/semantic/star_groups.h"

namespace migrator {

// Base classes of one class that are looked through, its own bases included.
inline constexpr std::size_t kMaxBaseClasses = 64;

// Read-only once it is finished, so that all threads may ask.
class ProjectIndex {
public:
    // The facts must outlive the index.
    explicit ProjectIndex(const TypeFacts& facts) : facts_(&facts) {}

    // `names`: the dotted names under which the file can be imported.
    void add(PackedSummary summary, std::span<const std::string> names);
    // Called once, after the last `add` and before the first question.
    void finish();

    // What a qualified name of the project means, followed through the imports of its files: "pkg.compat.torch" is
    // torch. Empty: nothing is known.
    Meanings resolve(std::string_view qualified) const;
    // What `name` means behind `from module import *`.
    Meanings star_name(std::string_view module, std::string_view name) const;
    // Every name that the module's star brings is known.
    bool knows_star(std::string_view module) const;

    bool is_class(std::string_view qualified) const { return classes_.contains(qualified); }
    // What calling a function or class of the project gives: values with their types.
    Meanings result_of(std::string_view qualified) const;

    // A parameter of a function of the project, which takes an argument of a call.
    struct Parameter {
        std::string function;  // qualified; of a class its __init__
        std::string_view name;
    };
    // That which takes the argument at `position`, or the one of this name, when `callee` is called; nullopt: it is not
    // known.
    std::optional<Parameter> parameter(std::string_view callee, std::size_t position) const;
    std::optional<Parameter> parameter(std::string_view callee, std::string_view keyword) const;

    struct Members {
        Meanings found;
        std::string external;  // not found: the class outside the project that the search ended at
        bool open = false;     // there are bases whose members cannot be told
    };
    // A member of a class of the project, or of one of its bases.
    Members find_member(std::string_view class_name, std::string_view member) const;

private:
    // One question, with all that it leads to. What is being answered is not asked again: a cycle of imports or bases
    // ends there. The number of steps is bounded.
    struct Search;
    class Step;

    Meanings resolve(std::string_view qualified, Search& search) const;
    Meanings module_name(std::string_view module, std::string_view name, Search& search) const;
    // The same without what the module's own star imports bring; nullopt: it has no such name.
    std::optional<Meanings> own_name(std::string_view module, std::string_view name, Search& search) const;
    std::optional<Meanings> name_in(StarGroups::Id group, std::string_view name, Search& search) const;
    // `variable`: the qualified name of what holds these meanings.
    Meanings chased(Meanings meanings, const std::string& variable, Search& search) const;
    Meaning with_known_type(Meaning meaning, Search& search) const;
    Meanings members_of(const Meanings& objects, std::string_view member, Search& search) const;
    Meanings result_of(std::string_view qualified, Search& search) const;
    Members find_member(std::string_view class_name, std::string_view member, Search& search) const;
    std::string called_function(std::string_view callee) const;
    // A class or a function: the number of its file, and its own there.
    struct Place {
        std::size_t summary = 0, number = 0;
    };
    using Places = std::unordered_map<std::string_view, Place>;  // by names that the summaries hold

    void add_bases(Place of, std::vector<std::string>& pending, Members& out, Search& search) const;
    const PackedSummary* find_module(std::string_view name) const;
    void note_names_of_cycles();

    const TypeFacts* facts_;
    std::deque<PackedSummary> summaries_;   // which stay where they are
    base::StringMap<std::size_t> modules_;  // and the numbers of their summaries
    Places classes_, functions_;
    StarGroups stars_;
    // Of groups with more than one module: that which has the name.
    std::unordered_map<StarGroups::Id, base::StringMap<std::string_view>> names_of_cycles_;
    base::StringSet importable_;      // modules, and everything that holds them
    std::size_t longest_module_ = 0;  // in characters: a name that was written may have any number of parts
};

}  // namespace migrator
