#include "migrator/operators/trace_reader.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <unordered_map>

#include "base/format.h"
#include "base/json.h"
#include "base/string_map.h"
#include "base/text.h"
#include "migrator/operators/operator_totals.h"

namespace migrator {
namespace {

// What the profiler calls its events, now and up to torch 1.9.
constexpr std::string_view kOperatorCategories[] = {"cpu_op", "Operator"};
constexpr std::string_view kDeviceCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"};
constexpr std::string_view kEvents = "traceEvents";
constexpr std::string_view kEngine = "autograd::";  // marks of the backward pass around its operators

struct Event {
    std::string name, category, phase, dtype;
    std::string process, thread;
    double begin = 0;
    double duration = 0;
    std::int64_t external = -1;  // ties what runs on the device to its operator
    std::uint64_t dimensions = 0;
};

struct OperatorEvent {
    std::size_t name, dtype, thread;  // numbers of texts
    double begin, duration;
    std::int64_t external;
    std::uint64_t dimensions;
    double own = 0;
};

// Gives each text a number.
class Texts {
public:
    std::size_t number(const std::string& text) {
        const auto [place, is_new] = numbers_.try_emplace(text, all_.size());
        if (is_new) all_.push_back(text);
        return place->second;
    }
    const std::string& operator[](std::size_t number) const { return all_[number]; }

private:
    base::StringMap<std::size_t> numbers_;
    std::vector<std::string> all_;
};

class TraceHandler : public base::JsonHandler {
public:
    base::Status null(std::uint64_t) override { return {}; }
    base::Status boolean(bool, std::uint64_t) override { return {}; }
    base::Status integer(std::int64_t value, std::uint64_t) override {
        if (is_in_dims()) event_.dimensions = std::max(event_.dimensions, ++dimensions_);
        if (in_args() && (key() == "External id" || key() == "external id")) event_.external = value;
        return number_value(static_cast<double>(value), std::to_string(value));
    }
    base::Status big_integer(std::uint64_t value, std::uint64_t) override {
        return number_value(static_cast<double>(value), std::to_string(value));
    }
    base::Status number(double value, std::uint64_t) override { return number_value(value, {}); }
    base::Status string(std::string&& value, std::uint64_t) override {
        if (in_event()) {
            if (key() == "name") event_.name = std::move(value);
            else if (key() == "cat") event_.category = std::move(value);
            else if (key() == "ph") event_.phase = std::move(value);
            else return number_value(std::strtod(value.c_str(), nullptr), value);
        } else if (levels_.size() == event_depth_ + 2 && levels_[levels_.size() - 2].key == "Input type" &&
                   event_.dtype.empty()) {
            event_.dtype = std::move(value);
        }
        return {};
    }
    base::Status begin_object(std::uint64_t) override {
        const bool is_item = !levels_.empty() && levels_.back().is_list &&
                             (levels_.size() == 1 || (levels_.size() == 2 && levels_[0].key == kEvents));
        levels_.push_back({false, {}});
        if (is_item) {
            event_ = {};
            event_depth_ = levels_.size();
        }
        return {};
    }
    base::Status key(std::string&& value, std::uint64_t) override {
        levels_.back().key = std::move(value);
        return {};
    }
    base::Status end_object() override {
        if (levels_.size() == event_depth_) {
            keep_event();
            event_depth_ = kNone;
        }
        levels_.pop_back();
        return {};
    }
    base::Status begin_array(std::uint64_t) override {
        dimensions_ = 0;
        levels_.push_back({true, {}});
        return {};
    }
    base::Status end_array() override {
        levels_.pop_back();
        return {};
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
            const auto dtype = chips.trace_dtypes.find(texts_[owner.dtype]);
            double time = operators_[i].own;
            if (out.times_of_device) {
                const auto found = device_.find(operators_[i].external);
                time = found == device_.end() ? 0 : found->second;
            }
            totals.add({texts_[owner.name], dtype == chips.trace_dtypes.end() ? std::string() : dtype->second,
                        owner.dimensions, owners[i] == i ? 1u : 0u, time});
        }
        out.operators = std::move(totals).take();
        return out;
    }
    bool has_operators() const { return !operators_.empty(); }

private:
    struct Level {
        bool is_list;
        std::string key;  // the last one
    };
    static constexpr std::size_t kNone = ~std::size_t{0} - 8;

    bool in_event() const { return levels_.size() == event_depth_; }
    bool in_args() const { return levels_.size() == event_depth_ + 1 && levels_[event_depth_ - 1].key == "args"; }
    // In the sizes of one tensor: "Input Dims" has a list for each input, and a list of lists for a list of tensors.
    bool is_in_dims() const {
        return levels_.size() > event_depth_ + 2 && levels_.back().is_list && levels_[event_depth_].key == "Input Dims";
    }
    const std::string& key() const { return levels_.back().key; }

    base::Status number_value(double value, const std::string& text) {
        if (!in_event()) return {};
        if (key() == "ts") event_.begin = value;
        else if (key() == "dur") event_.duration = value;
        else if (key() == "pid") event_.process = text;
        else if (key() == "tid") event_.thread = text;
        return {};
    }

    void keep_event() {
        if (event_.phase != "X") return;
        if (base::contains(kDeviceCategories, event_.category)) {
            if (event_.external >= 0) device_[event_.external] += event_.duration;
            return;
        }
        if (!base::contains(kOperatorCategories, event_.category) || event_.name.find("::") == event_.name.npos ||
            event_.name.starts_with(kEngine))
            return;
        operators_.push_back({texts_.number(event_.name), texts_.number(event_.dtype),
                              texts_.number(event_.process + "/" + event_.thread), event_.begin, event_.duration,
                              event_.external, event_.dimensions});
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
            if (is_whole[name] < 0) is_whole[name] = takes_whole(texts_[name]) ? 1 : 0;
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
        for (OperatorEvent& item : operators_) item.own = std::max(item.own, 0.0);
        return owners;
    }

    std::vector<Level> levels_;
    std::size_t event_depth_ = kNone;
    Event event_;
    std::uint64_t dimensions_ = 0;  // of the list that is open
    Texts texts_;
    std::vector<OperatorEvent> operators_;
    std::unordered_map<std::int64_t, double> device_;  // microseconds, by external id
};

}  // namespace

base::Result<OperatorInput> read_trace(std::string_view text, const std::string& name, const ChipsFile& chips,
                                       const TakesWhole& takes_whole) {
    TraceHandler handler;
    const base::Status status = base::parse_json_events(text, name, handler, base::kPythonJson);
    if (!status && !handler.has_operators()) return tl::unexpected(status.error());
    OperatorInput out = handler.result(chips, takes_whole);
    if (!status) out.warning = base::format("only the beginning of the trace could be read: {}", status.error().text());
    return out;
}

}  // namespace migrator
