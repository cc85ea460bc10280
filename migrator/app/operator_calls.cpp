#include "migrator/app/operator_calls.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/format.h"
#include "base/text_position.h"
#include "migrator/semantic/bindings.h"

namespace migrator {
namespace {

constexpr std::size_t kPlacesShown = 3;

// By the operator as findings name it, "ns::scale" or "scale": "train.py:12".
using Places = std::map<std::string, std::vector<std::string>, std::less<>>;

std::set<std::string_view> registering_rules(const RuleSet& rules) {
    std::set<std::string_view> out;
    for (const RegistrationRow& row : rules.registrations()) out.insert(row.rule->id);
    return out;
}

// What the operator is called with in Python: "torch.ops.ns.scale" of "ns::scale", the last part alone of a module's.
std::string name_in_python(std::string_view subject) {
    const std::size_t colons = subject.find("::");
    if (colons == subject.npos) return std::string(subject);
    return base::format("torch.ops.{}.{}", subject.substr(0, colons), subject.substr(colons + 2));
}

class CallFinder {
public:
    CallFinder(const Knowledge& knowledge, Places& places) : knowledge_(knowledge), places_(places) {}

    void look_at(const Project& project, const FoundFile& file, const SourceFile& source) {
        const bool mentions = std::any_of(places_.begin(), places_.end(), [&](const auto& item) {
            return source.text.find(item.first.substr(item.first.rfind(':') + 1)) != std::string::npos;
        });
        if (!mentions) return;
        const SyntaxTree tree = SyntaxTree::parse(source.text);
        const ModuleContext context = module_context(project, file.path);
        const Bindings bindings = Bindings::analyse(tree, knowledge_.facts, context);
        const base::LineIndex lines(tree.source());
        for (NodeId id = 0; id < tree.size(); ++id) {
            if (tree.kind(id) != NodeKind::call) continue;
            const NodeId function = tree.child(id, Field::function);
            if (function == kNoNode) continue;
            for (const Reference& reference : bindings.references(function))
                add(reference.name, context,
                    base::format("{}:{}", project.shown(file.path), lines.position(tree.range(id).begin).line));
        }
    }

private:
    void add(const std::string& name, const ModuleContext& context, std::string place) {
        for (auto& [op, places] : places_) {
            const std::string python = name_in_python(op);
            const bool is_called = python.find('.') == python.npos ? is_of_compiled_module(name, python, context)
                                                                   : name == python || name.starts_with(python + ".");
            if (is_called && (places.empty() || places.back() != place)) places.push_back(place);
        }
    }

    // "pkg._C.scale": a function of a module that is neither a known package nor one of the project with a source.
    bool is_of_compiled_module(std::string_view name, std::string_view op, const ModuleContext& context) const {
        const std::size_t dot = name.rfind('.');
        if (dot == name.npos || name.substr(dot + 1) != op) return false;
        const std::string_view module = name.substr(0, dot);
        const bool has_source = std::any_of(context.project_modules.begin(), context.project_modules.end(),
                                            [&](const std::string& known) { return known == module; });
        return !has_source && knowledge_.rules.package_of_module(module) == nullptr &&
               !knowledge_.rules.is_framework(module.substr(0, module.find('.')));
    }

    const Knowledge& knowledge_;
    Places& places_;
};

std::string sentence(const std::vector<std::string>& places) {
    const std::size_t shown = std::min(places.size(), kPlacesShown);
    std::string out =
        " It is called from " +
        base::joined(std::vector<std::string>(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(shown)),
                     ", ");
    if (places.size() > shown) out += base::format(" and {} more", places.size() - shown);
    return out + ".";
}

}  // namespace

void add_operator_calls(const Knowledge& knowledge, base::FileSystem& fs, const std::vector<Job>& jobs,
                        std::vector<ReportFile>& files) {
    const std::set<std::string_view> rules = registering_rules(knowledge.rules);
    std::vector<Finding*> registrations;
    Places places;
    for (ReportFile& file : files) {
        for (ReportFinding& item : file.findings) {
            if (!rules.contains(item.outcome.finding.rule)) continue;
            registrations.push_back(&item.outcome.finding);
            places[item.outcome.finding.subject];
        }
    }
    if (registrations.empty()) return;
    CallFinder finder(knowledge, places);
    for (const Job& job : jobs) {
        if (job.file->type != FileType::python) continue;
        auto bytes = job.project->read(fs, job.file->path);
        if (!bytes) continue;  // reported as a finding of its own
        finder.look_at(*job.project, *job.file, make_source_file(job.file->path, job.file->type, std::move(*bytes)));
    }
    for (Finding* finding : registrations) {
        if (const auto& found = places[finding->subject]; !found.empty()) finding->message += sentence(found);
    }
}

}  // namespace migrator
