#include "migrator/operators/trace_reader.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/text.h"
#include "migrator/operators/operator_totals.h"
#include "migrator/profile/json_tokens.h"
#include "migrator/profile/text_pool.h"
#include "migrator/profile/ticks.h"

namespace migrator {
namespace {

constexpr std::string_view kEngine = "autograd::";  // marks of the backward pass around its operators

struct OperatorEvent {
    TextNumber name, dtype, thread;
    Ticks begin, duration;
    std::int64_t external;  // ties what runs on the device to its operator; -1: nothing does
    std::uint64_t dimensions;
    Ticks own = 0;
};

// What is asked of the arguments of an event.
struct EventArguments {
    std::int64_t external = -1;
    std::string_view dtype;
    std::uint64_t dimensions = 0;
};

// "Input Dims" has a list of sizes for each input, and a list of such lists for a list of tensors.
std::uint64_t most_dimensions(std::string_view dims) {
    std::uint64_t most = 0;
    each_item(dims, [&](std::string_view input) {
        std::uint64_t count = 0;
        each_item(input, [&](std::string_view item) {
            if (!item.starts_with('[')) {
                ++count;
                return;
            }
            std::uint64_t inner = 0;
            each_item(item, [&](std::string_view) { ++inner; });
            most = std::max(most, inner);
        });
        most = std::max(most, count);
    });
    return most;
}

EventArguments arguments_of(std::string_view args) {
    EventArguments out;
    each_member(args, [&](std::string_view key, std::string_view value) {
        if (key == "External id" || key == "external id") {
            const std::string_view digits = unquoted(value);
            std::from_chars(digits.data(), digits.data() + digits.size(), out.external);
        } else if (key == "Input type") {
            each_item(value, [&](std::string_view type) {
                if (out.dtype.empty()) out.dtype = unquoted(type);
            });
        } else if (key == "Input Dims") {
            out.dimensions = most_dimensions(value);
        }
        return true;
    });
    return out;
}

class TraceOperators {
public:
    explicit TraceOperators(const ProfileNames& names) : names_(names) {}

    void add(const TraceEvent& event) {
        if (event.phase != "X") return;
        const std::optional<Ticks> duration = parse_duration(event.duration);
        const CategoryKind kind = kind_of(event.category);
        if (kind.runs_on_device) {
            const EventArguments args = arguments_of(event.args);
            if (args.external >= 0 && duration) device_[args.external] += std::max<Ticks>(*duration, 0);
            return;
        }
        if (!kind.is_operator || event.name.find("::") == event.name.npos || event.name.starts_with(kEngine)) return;
        const std::optional<Moment> moment = parse_moment(event.begin);
        if (!moment || !duration || *duration < 0) return;
        if (!origin_.is_set()) origin_.set(*moment);
        const std::optional<Ticks> begin = origin_.ticks(*moment);
        if (!begin) return;
        const EventArguments args = arguments_of(event.args);
        thread_.assign(event.process).append("/").append(event.thread);
        operators_.push_back({texts_.number(event.name), texts_.number(args.dtype), texts_.number(thread_), *begin,
                              *duration, args.external, args.dimensions});
    }

    OperatorInput result(const ChipsFile& chips, const TakesWhole& takes_whole) {
        sort_operators();
        OperatorInput out;
        out.kind = "trace";
        out.has_times = true;
        out.times_of_device = std::any_of(operators_.begin(), operators_.end(),
                                          [&](const OperatorEvent& item) { return device_.contains(item.external); });
        const std::vector<std::size_t> owners = owners_and_own_times(takes_whole);
        OperatorTotals totals;
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            const OperatorEvent& owner = operators_[owners[i]];
            const auto dtype = chips.trace_dtypes.find(std::string(texts_[owner.dtype]));
            Ticks time = operators_[i].own;
            if (out.times_of_device) {
                const auto found = device_.find(operators_[i].external);
                time = found == device_.end() ? 0 : found->second;
            }
            totals.add({std::string(texts_[owner.name]),
                        dtype == chips.trace_dtypes.end() ? std::string() : dtype->second, owner.dimensions,
                        owners[i] == i ? 1u : 0u, microseconds(time)});
        }
        out.operators = std::move(totals).take();
        return out;
    }

private:
    struct CategoryKind {
        bool is_operator = false, runs_on_device = false;
    };

    CategoryKind kind_of(std::string_view category) {
        const TextNumber number = texts_.number(category);
        const auto [place, is_new] = kinds_.try_emplace(number);
        if (!is_new) return place->second;
        const std::string name = lower_case(category);
        return place->second = {names_.operator_categories.is(name), names_.kernel_categories.is(name) ||
                                                                         names_.copy_categories.is(name) ||
                                                                         names_.set_categories.is(name)};
    }

    void sort_operators() {
        std::sort(operators_.begin(), operators_.end(), [](const OperatorEvent& a, const OperatorEvent& b) {
            return std::tuple(a.thread, a.begin, -a.duration) < std::tuple(b.thread, b.begin, -b.duration);
        });
    }

    // Of each operator the outermost around it that the NPU takes whole, or itself. Its own time is without that of the
    // operators that it calls on its thread.
    std::vector<std::size_t> owners_and_own_times(const TakesWhole& takes_whole) {
        std::vector<std::size_t> owners(operators_.size()), around;
        std::vector<signed char> is_whole;  // by the number of the name; -1: not asked yet
        const auto whole = [&](std::size_t name) {
            if (is_whole.size() <= name) is_whole.resize(name + 1, -1);
            if (is_whole[name] < 0) is_whole[name] = takes_whole(std::string(texts_[name])) ? 1 : 0;
            return is_whole[name] == 1;
        };
        for (std::size_t i = 0; i < operators_.size(); ++i) {
            OperatorEvent& item = operators_[i];
            item.own = item.duration;
            owners[i] = i;
            const auto is_over = [&](const OperatorEvent& outer) {
                return outer.thread != item.thread || outer.begin + outer.duration <= item.begin;
            };
            while (!around.empty() && is_over(operators_[around.back()])) around.pop_back();
            if (!around.empty()) {
                const std::size_t outer = around.back();
                operators_[outer].own -= item.duration;
                if (owners[outer] != outer || whole(operators_[outer].name)) owners[i] = owners[outer];
            }
            around.push_back(i);
        }
        for (OperatorEvent& item : operators_) item.own = std::max<Ticks>(item.own, 0);
        return owners;
    }

    const ProfileNames& names_;
    std::unordered_map<TextNumber, CategoryKind> kinds_;
    TimeOrigin origin_;
    std::string thread_;
    TextPool texts_;
    std::vector<OperatorEvent> operators_;
    std::unordered_map<std::int64_t, Ticks> device_;  // by external id
};

}  // namespace

base::Result<OperatorInput> read_trace(TraceSource& events, const ProfileNames& names, const ChipsFile& chips,
                                       const TakesWhole& takes_whole) {
    TraceOperators operators(names);
    for (;;) {
        TRY_ASSIGN(const TraceEvent* event, events.next());
        if (event == nullptr) break;
        operators.add(*event);
    }
    OperatorInput out = operators.result(chips, takes_whole);
    if (!events.damage().empty())
        out.warning = base::format("only the beginning of the trace could be read: {}", events.damage());
    return out;
}

}  // namespace migrator
