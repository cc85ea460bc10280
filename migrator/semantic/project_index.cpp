#include "migrator/semantic/project_index.h"
#include "base/text.h"

#include <algorithm>
#include <unordered_set>

namespace migrator {
namespace {

constexpr std::size_t kMaxDepth = 48;
constexpr int kMaxSearchSteps = 4000;

std::string joined_name(std::string_view parent, std::string_view member) {
    std::string out(parent);
    if (!out.empty()) out += '.';
    out += member;
    return out;
}

bool is_private(std::string_view name) { return name.starts_with('_'); }

void add_new(Meanings& out, const Meaning& meaning) {
    if (!base::contains(out, meaning)) out.push_back(meaning);
}

}  // namespace

struct ProjectIndex::Search {
    struct Question {
        std::string_view what, name;
        bool operator==(const Question&) const = default;
    };
    std::vector<Question> active;
    int steps = 0;
};

class ProjectIndex::Step {
public:
    // The texts must outlive the step.
    Step(Search& search, std::string_view what, std::string_view name) : search_(search) {
        const Search::Question question{what, name};
        allowed_ = ++search.steps <= kMaxSearchSteps && search.active.size() < kMaxDepth &&
                   !base::contains(search.active, question);
        if (allowed_) search.active.push_back(question);
    }
    ~Step() {
        if (allowed_) search_.active.pop_back();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    explicit operator bool() const { return allowed_; }

private:
    Search& search_;
    bool allowed_ = false;
};

void ProjectIndex::add(PackedSummary summary, std::span<const std::string> names) {
    const std::size_t place = summaries_.size();
    for (const std::string& name : names) {
        modules_.try_emplace(name, place);
        importable_.insert(name);
        longest_module_ = std::max(longest_module_, name.size());
        for (std::size_t dot = name.rfind('.'); dot != name.npos && dot > 0; dot = name.rfind('.', dot - 1))
            importable_.insert(name.substr(0, dot));
    }
    const PackedSummary& added = summaries_.emplace_back(std::move(summary));
    for (std::size_t i = 0; i < added.class_count(); ++i) classes_.try_emplace(added.class_name(i), Place{place, i});
    for (std::size_t i = 0; i < added.function_count(); ++i)
        functions_.try_emplace(added.function_name(i), Place{place, i});
}

void ProjectIndex::finish() {
    std::vector<std::string> modules;
    for (const auto& [name, summary] : modules_) modules.push_back(name);
    std::ranges::sort(modules);
    const auto stars_of = [&](std::string_view module) {
        const PackedSummary* summary = find_module(module);
        return summary == nullptr ? std::vector<std::string_view>() : summary->stars();
    };
    const auto knows = [&](std::string_view module) {
        return find_module(module) != nullptr || !facts_->star_names(module).empty();
    };
    stars_ = StarGroups(std::move(modules), stars_of, knows);
    note_names_of_cycles();
}

// Which module of a cycle a name is taken from, where several have it, is a matter of what is imported first: it is the
// first by name here.
void ProjectIndex::note_names_of_cycles() {
    for (StarGroups::Id id = 0; id < stars_.size(); ++id) {
        const std::vector<std::string>& modules = stars_.group(id).modules;
        if (modules.size() == 1) continue;
        for (const std::string& module : modules) {
            for (const std::string_view name : find_module(module)->names())
                names_of_cycles_[id].try_emplace(std::string(name), module);
        }
    }
    std::vector<std::string_view> importable(importable_.begin(), importable_.end());
    std::ranges::sort(importable);
    for (const std::string_view name : importable) {
        const std::size_t dot = name.rfind('.');
        const auto group = dot == name.npos ? std::nullopt : stars_.find(name.substr(0, dot));
        if (group && stars_.group(*group).modules.size() > 1)
            names_of_cycles_[*group].try_emplace(std::string(name.substr(dot + 1)), name.substr(0, dot));
    }
}

const PackedSummary* ProjectIndex::find_module(std::string_view name) const {
    const auto found = modules_.find(name);
    return found == modules_.end() ? nullptr : &summaries_[found->second];
}

Meanings ProjectIndex::resolve(std::string_view qualified) const {
    Search search;
    return resolve(qualified, search);
}

Meanings ProjectIndex::resolve(std::string_view qualified, Search& search) const {
    const Step step(search, "name", qualified);
    if (!step) return {};
    // The longest module in front of the name, one member behind it, and members of that.
    std::size_t end = qualified.rfind('.', longest_module_);
    while (end != qualified.npos && !importable_.contains(qualified.substr(0, end)))
        end = end == 0 ? qualified.npos : qualified.rfind('.', end - 1);
    if (end == qualified.npos) {
        if (!importable_.contains(qualified)) return {};
        return {{.name = std::string(qualified), .origin = Origin::project}};
    }
    const std::string_view module = qualified.substr(0, end);
    std::string_view rest = qualified.substr(end + 1);
    const std::string_view first = rest.substr(0, rest.find('.'));
    Meanings out = module_name(module, first, search);
    rest.remove_prefix(std::min(rest.size(), first.size() + 1));
    while (!rest.empty() && !out.empty()) {
        const std::string_view member = rest.substr(0, rest.find('.'));
        out = members_of(out, member, search);
        rest.remove_prefix(std::min(rest.size(), member.size() + 1));
    }
    return out;
}

std::optional<Meanings> ProjectIndex::own_name(std::string_view module, std::string_view name, Search& search) const {
    const PackedSummary* summary = find_module(module);
    if (summary != nullptr) {
        if (auto found = summary->name(name))
            return chased(std::move(*found), joined_name(summary->module(), name), search);
    }
    std::string qualified = joined_name(module, name);
    if (importable_.contains(qualified)) return Meanings{{.name = std::move(qualified), .origin = Origin::project}};
    if (std::ranges::binary_search(facts_->star_names(module), name, std::less<>{}))
        return Meanings{{.name = std::move(qualified), .origin = Origin::external}};
    return std::nullopt;
}

std::optional<Meanings> ProjectIndex::name_in(StarGroups::Id group, std::string_view name, Search& search) const {
    const auto names = names_of_cycles_.find(group);
    if (names == names_of_cycles_.end()) return own_name(stars_.group(group).modules.front(), name, search);
    const auto module = names->second.find(name);
    return module == names->second.end() ? std::nullopt : own_name(module->second, name, search);
}

Meanings ProjectIndex::module_name(std::string_view module, std::string_view name, Search& search) const {
    if (auto found = own_name(module, name, search)) return *std::move(found);
    const std::optional<StarGroups::Id> start = stars_.find(module);
    if (!start) return {};
    std::vector<StarGroups::Id> groups{*start};
    std::unordered_set<StarGroups::Id> seen{*start};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        // Of a module in no cycle the first group is itself, which has been looked at.
        const bool is_itself = i == 0 && stars_.group(*start).modules.size() == 1;
        if (auto found = is_itself ? std::nullopt : name_in(groups[i], name, search)) return *std::move(found);
        for (const StarGroups::Id next : stars_.group(groups[i]).next) {
            if (seen.insert(next).second) groups.push_back(next);
        }
    }
    return {};
}

Meanings ProjectIndex::star_name(std::string_view module, std::string_view name) const {
    const PackedSummary* summary = find_module(module);
    if (summary == nullptr || (is_private(name) && !summary->name("__all__"))) return {};
    Search search;
    return module_name(module, name, search);
}

bool ProjectIndex::knows_star(std::string_view module) const {
    const std::optional<StarGroups::Id> group = stars_.find(module);
    return group ? stars_.group(*group).is_known : !facts_->star_names(module).empty();
}

// Follows what one file says of another one's names.
Meanings ProjectIndex::chased(Meanings meanings, const std::string& variable, Search& search) const {
    Meanings out;
    for (Meaning& meaning : meanings) {
        const bool elsewhere = meaning.origin == Origin::project && !meaning.name.empty() &&
                               !classes_.contains(meaning.name) && !functions_.contains(meaning.name);
        const Meanings further = elsewhere ? resolve(meaning.name, search) : Meanings{};
        for (Meaning found : further) {
            found.certainty = std::min(found.certainty, meaning.certainty);
            add_new(out, found);
        }
        if (!further.empty()) continue;
        Meaning found = with_known_type(std::move(meaning), search);
        if (found.name.empty()) found.variable = variable;
        add_new(out, found);
    }
    return out;
}

Meaning ProjectIndex::with_known_type(Meaning meaning, Search& search) const {
    if (meaning.type.empty() || classes_.contains(meaning.type)) return meaning;
    Meanings types;
    if (meaning.type_is_called) {
        types = result_of(meaning.type, search);
    } else {
        for (const Meaning& found : resolve(meaning.type, search)) {
            if (!found.name.empty()) types.push_back({.name = {}, .type = found.name});
        }
        if (types.empty()) return meaning;  // a class outside the project
    }
    meaning.type_is_called = false;
    if (types.size() == 1) {
        meaning.type = types.front().type;
        meaning.type_certainty = std::min(meaning.type_certainty, types.front().type_certainty);
    } else {
        meaning.type.clear();
    }
    return meaning;
}

// Members of classes of the project, and of things outside it; nothing of values.
Meanings ProjectIndex::members_of(const Meanings& objects, std::string_view member, Search& search) const {
    Meanings out;
    for (const Meaning& object : objects) {
        if (object.name.empty() || !object.type.empty()) continue;
        if (classes_.contains(object.name)) {
            for (const Meaning& found : find_member(object.name, member, search).found) add_new(out, found);
        } else if (object.origin == Origin::external) {
            add_new(out, {.name = joined_name(object.name, member), .certainty = object.certainty});
        }
    }
    return out;
}

Meanings ProjectIndex::result_of(std::string_view qualified) const {
    Search search;
    return result_of(qualified, search);
}

Meanings ProjectIndex::result_of(std::string_view qualified, Search& search) const {
    const Step step(search, "result", qualified);
    if (!step) return {};
    Meanings callees;
    if (classes_.contains(qualified) || functions_.contains(qualified))
        callees.push_back({.name = std::string(qualified), .origin = Origin::project});
    else callees = resolve(qualified, search);
    Meanings out;
    for (const Meaning& callee : callees) {
        const Certainty certainty = callee.certainty;
        if (classes_.contains(callee.name)) {
            add_new(out, {.name = {}, .type = callee.name, .type_certainty = certainty});
        } else if (const auto function = functions_.find(callee.name); function != functions_.end()) {
            const Place place = function->second;
            for (const Meaning& result : chased(summaries_[place.summary].results(place.number), {}, search))
                add_new(out, result);
        } else if (callee.origin == Origin::external && callee.type.empty()) {
            if (const auto type = facts_->returned_class(callee.name))
                add_new(out, {.name = {}, .type = std::string(*type), .type_certainty = certainty});
        }
    }
    return out;
}

// The function of the project that a call of this name runs; empty: it is not known.
std::string ProjectIndex::called_function(std::string_view callee) const {
    Meanings functions{{.name = std::string(callee)}};
    if (!functions_.contains(callee) && !classes_.contains(callee)) functions = resolve(callee);
    if (functions.size() == 1 && classes_.contains(functions.front().name))
        functions = find_member(functions.front().name, "__init__").found;
    return functions.size() == 1 && functions_.contains(functions.front().name) ? functions.front().name : "";
}

std::optional<ProjectIndex::Parameter> ProjectIndex::parameter(std::string_view callee, std::size_t position) const {
    std::string function = called_function(callee);
    const auto known = functions_.find(function);
    if (known == functions_.end()) return std::nullopt;
    const Place place = known->second;
    const std::vector<std::string_view> names = summaries_[place.summary].parameters(place.number);
    if (position >= names.size()) return std::nullopt;
    return Parameter{std::move(function), names[position]};
}

std::optional<ProjectIndex::Parameter> ProjectIndex::parameter(std::string_view callee,
                                                               std::string_view keyword) const {
    std::string function = called_function(callee);
    if (function.empty()) return std::nullopt;
    return Parameter{std::move(function), keyword};
}

ProjectIndex::Members ProjectIndex::find_member(std::string_view class_name, std::string_view member) const {
    Search search;
    return find_member(class_name, member, search);
}

ProjectIndex::Members ProjectIndex::find_member(std::string_view class_name, std::string_view member,
                                                Search& search) const {
    Members out;
    const Step step(search, member, class_name);
    if (!step) return {.found = {}, .external = {}, .open = true};
    std::vector<std::string> pending{std::string(class_name)};
    base::StringSet visited;
    while (!pending.empty() && visited.size() < kMaxBaseClasses) {
        const std::string name = std::move(pending.back());
        pending.pop_back();
        const auto known = classes_.find(name);
        if (known == classes_.end() || !visited.insert(name).second) continue;
        const Place place = known->second;
        const PackedSummary& at = summaries_[place.summary];
        if (auto found = at.member(place.number, member)) {
            out.found = chased(std::move(*found), joined_name(name, member), search);
            return out;
        }
        out.open = out.open || at.is_open(place.number);
        add_bases(place, pending, out, search);
    }
    return out;
}

// Depth first, from left to right.
void ProjectIndex::add_bases(Place of, std::vector<std::string>& pending, Members& out, Search& search) const {
    std::vector<std::string> found;
    for (const std::string_view base : summaries_[of.summary].bases(of.number)) {
        Meanings meanings;
        if (!classes_.contains(base)) meanings = resolve(base, search);
        if (meanings.empty()) meanings.push_back({.name = std::string(base)});
        for (const Meaning& meaning : meanings) {
            if (classes_.contains(meaning.name)) {
                found.push_back(meaning.name);
            } else if (facts_->is_class(meaning.name)) {
                if (out.external.empty()) out.external = meaning.name;
            } else {
                out.open = true;
            }
        }
    }
    pending.insert(pending.end(), found.rbegin(), found.rend());
}

}  // namespace migrator
