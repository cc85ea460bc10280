#include "migrator/compare/module_sheets.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/string_map.h"

namespace migrator {
namespace {

constexpr std::string_view kModuleMark = "nn.Module:";

std::string without(std::string text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at)) text.erase(at, word.size());
    return text;
}

// "nn.Module: Linear" of ".../nn.Module: Linear_3".
std::string class_of(std::string_view name) {
    name = name.substr(name.rfind('/') + 1);
    const std::size_t digits = name.find_last_not_of("0123456789");
    const bool is_numbered = digits != name.npos && digits + 1 < name.size() && name[digits] == '_';
    return std::string(is_numbered ? name.substr(0, digits) : name);
}

// Of one side of the sheets.
struct ModuleSide {
    const ProfileSide& side;
    const OperatorTree& tree;
    const ModuleTree& modules;

    std::string_view name(const ModuleOperator& item) const {
        return side.trace.texts[side.trace.host.get<&HostEvent::name>(item.event)];
    }
    double time(const ModuleOperator& item) const {
        double out = 0;
        for (const std::uint32_t kernel : item.kernels) out += microseconds(tree.kernel(kernel).duration);
        return out;
    }
};

// ---- pairs ----

class ModulePairing {
public:
    ModulePairing(const ModuleSides& sides, const PairingOptions& options) : sides_(sides), options_(options) {}

    std::vector<ModulePair> run() {
        if (sides_.base.all().empty() || sides_.compared.all().empty()) return {};
        add(sides_.base.forward(), sides_.compared.forward());
        add(sides_.base.backward(), sides_.compared.backward());
        return std::move(out_);
    }

private:
    void add(const std::vector<std::uint32_t>& top, const std::vector<std::uint32_t>& other_top) {
        const std::vector<std::uint32_t> none;
        std::size_t next = out_.size();
        match(top, other_top);
        for (; next < out_.size(); ++next) {
            const ModulePair pair = out_[next];
            match(pair.base == nullptr ? none : pair.base->children,
                  pair.compared == nullptr ? none : pair.compared->children);
        }
    }

    // Msprof leaves the paths of the base as they are.
    std::uint32_t number(const ModuleTree& tree, std::uint32_t module, bool is_base) {
        std::string path(tree.path(tree.all()[module]));
        if (is_base && options_.numbers == ProfileNumbers::ours) {
            for (const auto& [from, to] : options_.names) path = replaced(path, from, to);
        }
        return numbers_.try_emplace(std::move(path), static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

    static std::string replaced(std::string text, const std::string& from, const std::string& to) {
        for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
            text.replace(at, from.size(), to);
        return text;
    }

    void match(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        std::vector<std::uint32_t> one, other;
        for (const std::uint32_t module : a) one.push_back(number(sides_.base, module, true));
        // Without details no module has a partner.
        constexpr std::uint32_t kNoName = ~std::uint32_t{0};
        if (options_.without_details) std::ranges::fill(one, kNoName);
        for (const std::uint32_t module : b) other.push_back(number(sides_.compared, module, false));
        for (const MatchedPair& pair : matched(one, other)) {
            const auto* left = pair.base == MatchedPair::kNone ? nullptr : &sides_.base.all()[a[pair.base]];
            const auto* right =
                pair.compared == MatchedPair::kNone ? nullptr : &sides_.compared.all()[b[pair.compared]];
            out_.push_back({left, right});
        }
    }

    const ModuleSides& sides_;
    const PairingOptions& options_;
    base::StringMap<std::uint32_t> numbers_;
    std::vector<ModulePair> out_;
};

// By the time of the base; what only the other side has comes before the first partner that began later.
std::vector<ModulePair> in_time(const std::vector<ModulePair>& pairs) {
    std::vector<ModulePair> of_base, alone, out;
    for (const ModulePair& pair : pairs) (pair.base == nullptr ? alone : of_base).push_back(pair);
    std::ranges::stable_sort(of_base, {}, [](const ModulePair& pair) { return pair.base->begin; });
    std::ranges::stable_sort(alone, {}, [](const ModulePair& pair) { return pair.compared->begin; });
    std::size_t next = 0;
    for (const ModulePair& pair : of_base) {
        while (pair.compared != nullptr && next < alone.size() && alone[next].compared->begin < pair.compared->begin)
            out.push_back(alone[next++]);
        out.push_back(pair);
    }
    out.insert(out.end(), alone.begin() + static_cast<std::ptrdiff_t>(next), alone.end());
    return out;
}

// ---- by path ----

// Operators of one name in the runs of a module.
struct NamedOperators {
    std::string name;
    double time = 0;  // milliseconds
    std::uint64_t count = 0;
    std::vector<std::pair<std::string, std::pair<double, std::uint64_t>>> kernels;  // time and number by name
};

// The runs of a module on one side.
struct ModuleSums {
    std::string_view stack;
    double own_time = 0, time = 0;  // milliseconds
    std::uint64_t count = 0;
    std::vector<NamedOperators> operators;

    void add(const ModuleSide& side, const ModuleRun& run) {
        if (count++ == 0) stack = side.modules.stack(run);
        own_time += run.own_time / 1000;
        time += run.time / 1000;
        for (const ModuleOperator& item : run.operators) add_operator(side, item);
    }
    const NamedOperators* named(std::string_view name) const {
        const auto found = std::ranges::find(operators, name, &NamedOperators::name);
        return found == operators.end() ? nullptr : &*found;
    }

private:
    void add_operator(const ModuleSide& side, const ModuleOperator& item) {
        const std::string name(side.name(item));
        auto found = std::ranges::find(operators, name, &NamedOperators::name);
        if (found == operators.end()) found = operators.insert(found, {name, 0, 0, {}});
        found->time += side.time(item) / 1000;
        ++found->count;
        for (const std::uint32_t number : item.kernels) {
            const DeviceEvent kernel = side.tree.kernel(number);
            const std::string kernel_name(side.side.trace.texts[kernel.name]);
            auto at = std::ranges::find(found->kernels, kernel_name, [](const auto& pair) { return pair.first; });
            if (at == found->kernels.end()) at = found->kernels.insert(at, {kernel_name, {}});
            at->second.first += microseconds(kernel.duration) / 1000;
            ++at->second.second;
        }
    }
};

struct ModulePaths {
    std::vector<std::string> names;  // of the base, and behind those what only the other side has
    base::StringMap<std::pair<ModuleSums, ModuleSums>> sums;
};

ModulePaths by_path(const ModuleSide& base, const ModuleSide& compared, const std::vector<ModulePair>& pairs) {
    ModulePaths out;
    const auto of = [&](std::string_view path) -> auto& {
        const auto [place, is_new] = out.sums.try_emplace(std::string(path));
        if (is_new) out.names.emplace_back(path);
        return place->second;
    };
    for (const ModulePair& pair : pairs) {
        if (pair.base != nullptr) of(base.modules.path(*pair.base)).first.add(base, *pair.base);
    }
    for (const ModulePair& pair : pairs) {
        if (pair.compared == nullptr) continue;
        const bool is_paired = pair.base != nullptr;
        of(is_paired ? base.modules.path(*pair.base) : compared.modules.path(*pair.compared))
            .second.add(compared, *pair.compared);
    }
    return out;
}

std::string kernel_sums(const NamedOperators* item) {
    std::string out;
    if (item == nullptr) return out;
    for (const auto& [name, sums] : item->kernels)
        out += base::format("{}, [number: {}], [duration_ms: {:.3f}]\n", name, sums.second, sums.first);
    return out;
}

void add_path_rows(const std::string& path, const std::pair<ModuleSums, ModuleSums>& both,
                   std::vector<SheetRow>& rows) {
    const auto& [base, compared] = both;
    const auto head = [&] {
        const auto level = static_cast<std::uint64_t>(std::ranges::count(path, '/'));
        return SheetRow{count_cell(rows.size() + 1), text_cell(class_of(path)), count_cell(level),
                        text_cell(without(path, kModuleMark))};
    };
    SheetRow row = head();
    row.push_back(text_cell(kModuleTotal));
    for (const ModuleSums* sums : {&base, &compared})
        row.insert(row.end(), {Cell(), Cell(sums->own_time), count_cell(sums->count), Cell(sums->time)});
    row.insert(row.end(),
               {Cell(rounded(compared.time - base.time, 2)), Cell(rounded(compared.own_time - base.own_time, 2)),
                Cell(ratio_of(base.time, compared.time)), text_cell(base.stack), text_cell(compared.stack)});
    rows.push_back(std::move(row));
    const auto add = [&](const NamedOperators* one, const NamedOperators* other) {
        SheetRow of_operator = head();
        of_operator.push_back(text_cell((one == nullptr ? other : one)->name));
        for (const NamedOperators* item : {one, other})
            of_operator.insert(of_operator.end(),
                               {text_cell(kernel_sums(item)), Cell(item == nullptr ? 0.0 : item->time),
                                count_cell(item == nullptr ? 0 : item->count), Cell()});
        const double a = one == nullptr ? 0 : one->time, b = other == nullptr ? 0 : other->time;
        of_operator.insert(of_operator.end(), {Cell(), Cell(rounded(b - a, 2)), Cell(ratio_of(a, b)), Cell(), Cell()});
        rows.push_back(std::move(of_operator));
    };
    for (const NamedOperators& item : base.operators) add(&item, compared.named(item.name));
    for (const NamedOperators& item : compared.operators) {
        if (base.named(item.name) == nullptr) add(nullptr, &item);
    }
}

Sheet module_statistic(const ModuleSide& base, const ModuleSide& compared, const std::vector<ModulePair>& pairs) {
    Sheet out{"ModuleCompareStatistic",
              paired_headers({"Order Id", "Module Class", "Module Level", "Module Name", "Operator Name"},
                             {"Kernel Details", "Device Self Time(ms)", "Number", "Device Total Time(ms)"},
                             {"Device Total Time Diff(ms)", "Device Self Time Diff(ms)", "Diff Total Ratio",
                              "Base Call Stack", "Comparison Call Stack"}),
              {}};
    const ModulePaths paths = by_path(base, compared, pairs);
    for (const std::string& path : paths.names) add_path_rows(path, paths.sums.find(path)->second, out.rows);
    return out;
}

// ---- each run ----

// The rows of one pair: its own, and one for each pair of operators.
class RunRows {
public:
    RunRows(const ModuleSide& base, const ModuleSide& compared) : base_(base), compared_(compared) {}

    std::size_t count(const ModulePair& pair) const { return 1 + operator_pairs(pair).size(); }

    // `before`: the number of rows in front.
    std::vector<SheetRow> rows(const ModulePair& pair, std::size_t before) {
        before_ = before;
        rows_.clear();
        head_ = head_of(pair.base != nullptr ? base_ : compared_, pair.base != nullptr ? *pair.base : *pair.compared);
        const double own = pair.base == nullptr ? 0 : pair.base->own_time,
                     all = pair.base == nullptr ? 0 : pair.base->time,
                     other_own = pair.compared == nullptr ? 0 : pair.compared->own_time,
                     other_all = pair.compared == nullptr ? 0 : pair.compared->time;
        SheetRow row = next_row();
        row.insert(row.end(), {text_cell("TOTAL"), Cell(), Cell(own), Cell(all), text_cell("TOTAL"), Cell(),
                               Cell(other_own), Cell(other_all), Cell(rounded(other_all - all, 2)),
                               Cell(rounded(other_own - own, 2)), Cell(ratio_of(all, other_all)),
                               stack_cell(base_, pair.base), stack_cell(compared_, pair.compared)});
        rows_.push_back(std::move(row));
        for (const MatchedPair& match : operator_pairs(pair))
            add_operator(match.base == MatchedPair::kNone ? nullptr : &pair.base->operators[match.base],
                         match.compared == MatchedPair::kNone ? nullptr : &pair.compared->operators[match.compared]);
        return rows_;
    }

private:
    static SheetRow head_of(const ModuleSide& side, const ModuleRun& run) {
        return {text_cell(class_of(run.name)), count_cell(run.level + 1),
                text_cell(without(std::string(side.modules.path(run)), kModuleMark))};
    }
    SheetRow next_row() const {
        SheetRow row{count_cell(before_ + rows_.size() + 1)};
        row.insert(row.end(), head_.begin(), head_.end());
        return row;
    }
    static Cell stack_cell(const ModuleSide& side, const ModuleRun* run) {
        return text_cell(run == nullptr ? std::string_view() : side.modules.stack(*run));
    }

    // By name.
    std::vector<MatchedPair> operator_pairs(const ModulePair& pair) const {
        base::StringMap<std::uint32_t> numbers;
        const auto numbers_of = [&](const ModuleSide& side, const ModuleRun* run) {
            std::vector<std::uint32_t> out;
            if (run == nullptr) return out;
            for (const ModuleOperator& item : run->operators)
                out.push_back(
                    numbers.try_emplace(std::string(side.name(item)), static_cast<std::uint32_t>(numbers.size()))
                        .first->second);
            return out;
        };
        const std::vector<std::uint32_t> one = numbers_of(base_, pair.base),
                                         other = numbers_of(compared_, pair.compared);
        return matched(one, other);
    }

    void add_operator(const ModuleOperator* one, const ModuleOperator* other) {
        const double a = one == nullptr ? 0 : base_.time(*one), b = other == nullptr ? 0 : compared_.time(*other);
        const double difference = rounded(b - a, 2);
        SheetRow row = next_row();
        add_side(row, base_, one, a);
        add_side(row, compared_, other, b);
        row.insert(row.end(), {Cell(), Cell(difference), Cell(ratio_of(a, b))});
        row.push_back(difference > 0 ? call_cell(base_, one) : Cell());
        row.push_back(difference > 0 ? call_cell(compared_, other) : Cell());
        rows_.push_back(std::move(row));
    }

    static void add_side(SheetRow& row, const ModuleSide& side, const ModuleOperator* item, double time) {
        row.push_back(text_cell(item == nullptr ? std::string_view() : side.name(*item)));
        row.push_back(text_cell(item == nullptr ? std::string() : kernel_lines(side.side, side.tree, item->kernels)));
        row.insert(row.end(), {Cell(time), Cell()});
    }

    static Cell call_cell(const ModuleSide& side, const ModuleOperator* item) {
        if (item == nullptr) return text_cell("");
        return input_cell(side.side, side.side.trace.host.get<&HostEvent::stack>(item->event));
    }

    const ModuleSide base_, compared_;
    SheetRow head_;
    std::size_t before_ = 0;
    std::vector<SheetRow> rows_;
};

// The rows as they are asked for one after the other.
class RunSheet {
public:
    RunSheet(const ModuleSide& base, const ModuleSide& compared, const std::vector<ModulePair>& pairs)
        : maker_(base, compared), pairs_(pairs) {
        for (const ModulePair& pair : pairs) ends_.push_back(size() + maker_.count(pair));
    }

    std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    SheetRow row(std::size_t number) {
        const auto pair = static_cast<std::size_t>(std::ranges::upper_bound(ends_, number) - ends_.begin());
        const std::size_t first = pair == 0 ? 0 : ends_[pair - 1];
        if (pair != of_) rows_ = maker_.rows(pairs_[pair], first);
        of_ = pair;
        return rows_[number - first];
    }

private:
    RunRows maker_;
    const std::vector<ModulePair>& pairs_;
    std::vector<std::size_t> ends_;  // of the rows of each pair
    std::size_t of_ = ~std::size_t{0};
    std::vector<SheetRow> rows_;
};

Sheet module_sheet(const ModuleSide& base, const ModuleSide& compared, const std::vector<ModulePair>& pairs) {
    Sheet out{"ModuleCompare",
              paired_headers({"Order Id", "Module Class", "Module Level", "Module Name"},
                             {"Operator Name", "Kernel Details", "Device Self Time(us)", "Device Total Time(us)"},
                             {"Device Total Time Diff(us)", "Device Self Time Diff(us)", "Diff Total Ratio",
                              "Base Call Stack", "Comparison Call Stack"}),
              {}};
    const auto rows = std::make_shared<RunSheet>(base, compared, pairs);
    out.made_rows = rows->size();
    out.made = [rows](std::size_t number) { return rows->row(number); };
    return out;
}

}  // namespace

std::vector<ModulePair> pair_modules(const ModuleSides& sides, const PairingOptions& options) {
    return in_time(ModulePairing(sides, options).run());
}

void add_module_sheets(const ModuleSides& sides, const std::vector<ModulePair>& pairs, const PairingOptions& options,
                       std::vector<Sheet>& out) {
    if (pairs.empty()) return;
    const ModuleSide base{sides.operators.base, sides.operators.base_tree, sides.base};
    const ModuleSide compared{sides.operators.compared, sides.operators.tree, sides.compared};
    out.push_back(module_statistic(base, compared, pairs));
    if (!options.without_details) out.push_back(module_sheet(base, compared, pairs));
}

}  // namespace migrator
