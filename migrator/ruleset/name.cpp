#include "migrator/ruleset/name.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

// What the name becomes in the chosen style.
void choose_target(const Style& style, const NameEntry& entry, NameRow& row) {
    row.on_npu = row.to;
    if (style.kind == StyleKind::automatic && row.at_run_time) row.to.reset();
    if (style.kind != StyleKind::portable || !row.to) return;
    if (entry.portable) row.to = entry.portable;
    else if (const std::string target = style.target(entry.name, *row.to); !target.empty()) row.to = target;
    else row.to.reset();
}

base::Status add_entry(RuleSet& set, NameEntry entry, NameRow row, const Adding& adding) {
    if (entry.to == entry.name) return adding.place.error(base::format("\"{}\" is renamed to itself", entry.name));
    row.rule = adding.rule;
    row.to = entry.to;
    row.note = entry.note;
    row.source = entry.source;
    row.effort = entry.effort;
    row.versions = entry.versions;
    row.at_run_time = entry.at_run_time && adding.style.kind == StyleKind::automatic;
    choose_target(adding.style, entry, row);
    return set.names.add(adding.place, std::move(entry.name), std::move(row));
}

}  // namespace

base::Status MemberFix::check(const base::JsonPlace& at) const {
    if (device.empty() != no_device.empty() || (!device.empty() && rename.empty()))
        return at.error("\"device\" needs \"no_device\" and \"rename\"");
    if (!wrap.empty() && !rename.empty()) return at.error("\"wrap\" and \"rename\" exclude each other");
    return {};
}

std::string_view parent_module(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == name.npos ? std::string_view{} : name.substr(0, dot);
}

base::Status NameIndex::add(const base::JsonPlace& at, std::string name, NameRow row) {
    auto& index = row.reach == NameRow::Reach::below ? prefixes_ : names_;
    const auto [known, fresh] = index.emplace(std::move(name), std::move(row));
    if (fresh) return {};
    return at.error(base::format("\"{}\" is already covered by the rule \"{}\"", known->first, known->second.rule->id));
}

const NameRow* NameIndex::row(std::string_view qualified) const {
    const auto found = names_.find(qualified);
    return found == names_.end() ? nullptr : &found->second;
}

const NameRow* NameIndex::prefix(std::string_view qualified) const {
    for (std::string_view at = parent_module(qualified); !at.empty(); at = parent_module(at)) {
        const auto found = prefixes_.find(at);
        if (found != prefixes_.end()) return &found->second;
    }
    return nullptr;
}

std::string NameIndex::renamed(std::string_view qualified) const {
    for (std::string_view at = qualified; !at.empty(); at = parent_module(at)) {
        const NameRow* known = row(at);
        if (known == nullptr) continue;
        // A known name that has no new one keeps its old one, whatever its module does.
        if (!known->to) return std::string(qualified);
        return *known->to + std::string(qualified.substr(at.size()));
    }
    return std::string(qualified);
}

template <NameRow::Reach reach>
base::Status add(RuleSet& set, NamesOf<reach> match, RenameFix fix, RenameFix on_npu, const Adding& adding) {
    auto row = row_of<NameRow>(adding.rule);
    row.reach = reach;
    row.to = std::move(fix.rename);
    row.on_npu = std::move(on_npu.rename);
    for (std::string& name : match.all) TRY(set.names.add(adding.place, std::move(name), row));
    return {};
}
template base::Status add(RuleSet&, NamesOf<NameRow::Reach::exact>, RenameFix, RenameFix, const Adding&);
template base::Status add(RuleSet&, NamesOf<NameRow::Reach::module>, RenameFix, RenameFix, const Adding&);
template base::Status add(RuleSet&, NamesOf<NameRow::Reach::below>, RenameFix, RenameFix, const Adding&);

base::Status add(RuleSet& set, NameEntry entry, const Adding& adding) {
    return add_entry(set, std::move(entry), {}, adding);
}
base::Status add(RuleSet& set, ModuleEntry entry, const Adding& adding) {
    NameRow row;
    row.reach = NameRow::Reach::module;
    row.to_member = entry.to_member;
    return add_entry(set, std::move(entry), std::move(row), adding);
}

}  // namespace migrator
