// `name`, `module`, `prefix`: qualified names where they are used and imported.
#pragma once

#include <optional>
#include <string>

#include "migrator/rule/rule_word.h"

namespace migrator {

// What becomes of a member of an object.
struct MemberFix {
    std::string rename;                 // another member: x.cuda(...) -> x.npu(...)
    std::string device;                 // whose device goes through this function: x.to(device_of(0))
    std::string no_device;              // and is this when there was none: x.to(device_type)
    std::vector<std::string> keywords;  // of the positional arguments behind the device
    std::string wrap;                   // or a function of the object: x.is_cuda -> is_on_device(x)
    std::vector<std::string> except;    // classes that do not have this
    bool assigned = false;              // also where something is assigned to the member

    bool is_plain() const { return device.empty() && wrap.empty(); }
    const std::string& to() const { return wrap.empty() ? rename : wrap; }
    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const MemberFix*) {
    return base::record(
        "member_fix", "what becomes of a member", base::field("rename", &MemberFix::rename, "the new member"),
        base::field("device", &MemberFix::device, "the new member gets the device through this function"),
        base::field("no_device", &MemberFix::no_device, "or this where there is none"),
        base::field("keywords", &MemberFix::keywords, "what further positional arguments become"),
        base::field("wrap", &MemberFix::wrap, "a function of the object in place of its member"),
        base::field("except", &MemberFix::except, "classes without the new member: only reported"),
        base::field("assigned", &MemberFix::assigned,
                    "also where something is assigned to the member; else the project's own stands there, and stays"));
}

// `name`: an exact qualified name; `module`: the same for a module, whose members are not spoken for;
// `prefix`: a module and everything below it that no other row knows.
struct NameRow {
    enum class Reach { exact, module, below };
    const Rule* rule = nullptr;
    Reach reach = Reach::exact;
    std::optional<std::string> to;        // the new name
    std::optional<std::string> on_npu{};  // what it is called on the NPU, whatever the new name is
    std::optional<MemberFix> member{};    // of a class: what becomes of the member, when that is more than a new name
    bool to_member = false;               // of a module: the new name is a member of its module, not a module itself
    bool assigned = false;                // of a class: the new name also where something is assigned to the member
    std::string note;
    std::string source;  // of the row; else the rule's
    Effort effort = Effort::none;
    bool at_run_time = false;
    VersionRange versions;       // of the framework, that have the new name; empty: all
    base::Message kept_because;  // said in place of the rule's message: why the name is left as it is; empty: that one
};

// Names to what is known of them.
class NameIndex {
public:
    base::Status add(const base::JsonPlace& at, std::string name, NameRow row);

    // The row of exactly this name (`exact` or `module`), or nullptr.
    const NameRow* row(std::string_view qualified) const;
    // The `below` row of the longest module that the name is in, or nullptr. Not for the module itself.
    const NameRow* prefix(std::string_view qualified) const;
    // What `qualified` is called after all renames: its own row, or that of the longest renamed module above it.
    std::string renamed(std::string_view qualified) const;
    // All exact and module rows.
    const ByName<NameRow>& all() const { return names_; }
    template <class Function>
    void each(Function function) {
        for (auto* index : {&names_, &prefixes_}) {
            for (auto& [name, row] : *index) function(name, row);
        }
    }

private:
    ByName<NameRow> names_;
    ByName<NameRow> prefixes_;
};

// "a.b.c" -> "a.b"; empty at the top.
std::string_view parent_module(std::string_view name);

struct RenameFix {
    std::optional<std::string> rename;
};
constexpr auto record_of(const RenameFix*) {
    return base::record("rename_fix", "what becomes of a name",
                        base::field("rename", &RenameFix::rename, "the new qualified name"));
}

// What the words look for.
template <NameRow::Reach reach>
struct NamesOf : NameList {};

// A row of a table of names.
struct NameEntry {
    std::string name;
    std::optional<std::string> to, portable;
    std::string note, source;
    Effort effort = Effort::none;
    VersionRange versions;
    bool at_run_time = false;
};
constexpr auto record_of(const NameEntry*) {
    return base::record(
        "name_row", "a qualified name", base::field("name", &NameEntry::name, "the name").needed(),
        base::field("to", &NameEntry::to, "its new name; absent: there is no counterpart"),
        base::field("portable", &NameEntry::portable, "the new name in the style `portable`, where its form differs"),
        base::field("note", &NameEntry::note, "the `{note}` of the message"),
        base::field("source", &NameEntry::source, "where the fact comes from, if not from the table's source"),
        base::field("effort", &NameEntry::effort, "as of a rule"),
        base::field("versions", &NameEntry::versions,
                    "of the framework, that have the new name; wins over the table's"),
        base::field("at_run_time", &NameEntry::at_run_time, "as of a rule"));
}
struct ModuleEntry : NameEntry {
    bool to_member = false;
};
constexpr auto record_of(const ModuleEntry*) {
    return base::extended(record_of(static_cast<const NameEntry*>(nullptr)), "module_row", "a module",
                          base::field("to_member", &ModuleEntry::to_member, "the new name is not a module"));
}

template <NameRow::Reach reach>
base::Status add(RuleSet& set, NamesOf<reach> match, RenameFix fix, RenameFix on_npu, const Adding& adding);
base::Status add(RuleSet& set, NameEntry entry, const Adding& adding);
base::Status add(RuleSet& set, ModuleEntry entry, const Adding& adding);

}  // namespace migrator
