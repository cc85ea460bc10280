#include "migrator/compare/operator_causes.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/string_map.h"
#include "migrator/compare/code_places.h"
#include "migrator/compare/faster_forms.h"

namespace migrator {
namespace {

// What is known of the operators of one name.
struct OperatorLoss {
    std::string name;
    Ticks base_time = 0, time = 0;
    Ticks on_ai_cpu = 0, dynamic = 0, changes = 0;  // more than in the base
    std::uint64_t base_calls = 0, calls = 0, base_kernels = 0, kernels = 0;
    std::set<std::string> rules;
    std::map<CallPlace, Ticks> places;  // how long each takes

    double more() const { return rounded(milliseconds(time) - milliseconds(base_time), 2); }
};

// What names of kernels and types of tasks of a side say.
struct SideTexts {
    explicit SideTexts(const ProfileSide& of)
        : side(of),
          changes(of.trace.texts, [&of](const std::string& name) { return of.names.format_kernels.in(name); }),
          on_ai_cpu(of.trace.texts, [&of](const std::string& type) { return of.names.ai_cpu_cores.is(type); }) {}

    const ProfileSide& side;
    PerText<bool> changes, on_ai_cpu;
};

class CauseFinder {
public:
    CauseFinder(base::FileSystem& fs, const PairedSides& sides, const ProjectCode& project, const FasterForms& forms)
        : sides_(sides),
          project_(project),
          forms_(forms),
          places_(fs, sides.compared, project.directory),
          base_(sides.base),
          compared_(sides.compared) {}

    std::vector<SheetRow> rows() {
        for (const std::uint32_t node : sides_.base_tree.top()) add_base(node);
        for (const std::uint32_t node : sides_.tree.top()) add(node);
        add_forms();
        std::erase_if(losses_, [](const OperatorLoss& loss) { return loss.more() <= 0; });
        std::ranges::stable_sort(losses_, std::greater<>(),
                                 [](const OperatorLoss& loss) { return loss.time - loss.base_time; });
        std::vector<SheetRow> out;
        for (const OperatorLoss& loss : losses_) out.push_back(row_of(loss, out.size() + 1));
        return out;
    }

private:
    OperatorLoss& named(std::string_view name) {
        const auto [place, is_new] = numbers_.try_emplace(std::string(name), losses_.size());
        if (is_new) {
            losses_.emplace_back();
            losses_.back().name = name;
        }
        return losses_[place->second];
    }

    // Of the operator and all in it; `sign`: that of the base counts against that of the other side.
    void add_kernels(OperatorLoss& loss, const OperatorTree& tree, std::uint32_t node, SideTexts& texts, Ticks sign) {
        for (const std::uint32_t number : tree.all_kernels(node)) {
            const DeviceEvent kernel = tree.kernel(number);
            const auto row = texts.side.kernels.at(kernel.begin);
            const Ticks length = kernel.duration;
            (sign < 0 ? loss.base_time : loss.time) += length;
            ++(sign < 0 ? loss.base_kernels : loss.kernels);
            if (row ? row->on_ai_cpu : texts.on_ai_cpu[kernel.type]) loss.on_ai_cpu += sign * length;
            if (row && row->is_dynamic) loss.dynamic += sign * length;
            if (texts.side.trace.kind == TraceKind::npu && texts.changes[kernel.name]) loss.changes += sign * length;
        }
    }

    void add_base(std::uint32_t node) {
        OperatorLoss& loss = named(sides_.base_tree.name(node));
        ++loss.base_calls;
        add_kernels(loss, sides_.base_tree, node, base_, -1);
    }

    void add(std::uint32_t node) {
        OperatorLoss& loss = named(sides_.tree.name(node));
        const Ticks before = loss.time;
        ++loss.calls;
        add_kernels(loss, sides_.tree, node, compared_, 1);
        if (const auto place = places_.of(sides_.tree.event(node))) loss.places[*place] += loss.time - before;
    }

    // Of each thread the operators that stand on no other, one after the other.
    void add_forms() {
        std::map<TextNumber, std::vector<std::string_view>> threads;
        for (const std::uint32_t node : sides_.tree.top())
            threads[sides_.tree.get<&HostEvent::thread>(node)].push_back(sides_.tree.name(node));
        for (const auto& [thread, names] : threads) {
            for (std::size_t first = 0; first < names.size(); ++first) {
                for (const FasterForm& form : forms_.forms) {
                    const std::size_t length = form.length_in(names, first);
                    for (std::size_t i = first; i < first + length; ++i)
                        named(names[i]).rules.insert(form.rules.begin(), form.rules.end());
                }
            }
        }
    }

    SheetRow row_of(const OperatorLoss& loss, std::size_t number) const {
        const auto per_call = [](std::uint64_t kernels, std::uint64_t calls) {
            return calls == 0 ? 0.0 : rounded(static_cast<double>(kernels) / static_cast<double>(calls), 2);
        };
        SheetRow row{count_cell(number),
                     text_cell(loss.name),
                     Cell(milliseconds(loss.base_time)),
                     Cell(milliseconds(loss.time)),
                     Cell(loss.more()),
                     Cell(per_call(loss.base_kernels, loss.base_calls)),
                     Cell(per_call(loss.kernels, loss.calls)),
                     Cell(milliseconds(std::max<Ticks>(loss.on_ai_cpu, 0))),
                     Cell(milliseconds(std::max<Ticks>(loss.dynamic, 0))),
                     Cell(milliseconds(std::max<Ticks>(loss.changes, 0))),
                     text_cell(base::joined(loss.rules, ", "))};
        const auto most = std::ranges::max_element(loss.places, {}, [](const auto& place) { return place.second; });
        if (most == loss.places.end()) {
            row.insert(row.end(), {text_cell(""), text_cell("")});
            return row;
        }
        row.push_back(text_cell(base::format("{}:{}", most->first.file, most->first.line)));
        const auto found = project_.findings.find({most->first.file, most->first.line});
        row.push_back(text_cell(found == project_.findings.end() ? "" : base::joined(found->second, ", ")));
        return row;
    }

    const PairedSides& sides_;
    const ProjectCode& project_;
    const FasterForms& forms_;
    CodePlaces places_;
    SideTexts base_, compared_;
    std::vector<OperatorLoss> losses_;
    base::StringMap<std::size_t> numbers_;
};

}  // namespace

base::Result<Sheet> operator_causes(base::FileSystem& fs, const base::DataStore& store, const PairedSides& sides,
                                    const ProjectCode& project) {
    TRY_ASSIGN(const FasterForms forms, base::read_rule_record<FasterForms>(store, "rules/profiles/faster_forms.json"));
    return Sheet{
        "OperatorCauses",
        {"Top", "Operator Name", "Base Device Duration(ms)", "Comparison Device Duration(ms)", "Diff Duration(ms)",
         "Base Kernels per Call", "Comparison Kernels per Call", "More on AI CPU(ms)", "More with Dynamic Shapes(ms)",
         "More Format and Dtype Changes(ms)", "Faster Form", "Place in Code", "Findings There"},
        CauseFinder(fs, sides, project, forms).rows()};
}

std::vector<base::Message> causes_of(const SheetRow& row) {
    constexpr double kLeastShare = 0.1;  // of the difference: what is less is not why
    std::vector<base::Message> out;
    const auto add_time = [&](std::size_t column, const char* text) {
        const double time = number_in(row[column]);
        if (time > kLeastShare * number_in(row[4])) out.push_back({text, {{"time", base::format("{:.3f}", time)}}});
    };
    add_time(7, "{time} ms more on the AI CPU; migrator ops names dtypes and operators that AI cores run");
    add_time(8, "{time} ms more with dynamic shapes, for which operators can be compiled at run time");
    add_time(9, "{time} ms more for changes of formats and dtypes");
    if (number_in(row[5]) > 0 && number_in(row[6]) > number_in(row[5]))
        out.push_back(
            {"{new} kernels for each call, {base} in the base",
             {{"new", base::format("{}", number_in(row[6]))}, {"base", base::format("{}", number_in(row[5]))}}});
    if (const std::string rules = text_in(row[10]); !rules.empty())
        out.push_back({"it is a part of what has a faster form: {rules}", {{"rules", rules}}});
    const std::string place = text_in(row[11]), findings = text_in(row[12]);
    if (!place.empty() && findings.empty()) out.push_back({"called at {place}", {{"place", place}}});
    if (!findings.empty())
        out.push_back(
            {"called at {place}, where migrator analyze finds {rules}", {{"place", place}, {"rules", findings}}});
    return out;
}

}  // namespace migrator
