// FlowTable: arrows of a trace from one place to another, by the id that their ends share.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "migrator/profile/text_pool.h"
#include "migrator/profile/ticks.h"

namespace migrator {

inline constexpr Ticks kNoTicks = std::numeric_limits<Ticks>::min();

struct Flow {
    std::uint64_t id = 0;
    Ticks begin = kNoTicks, end = kNoTicks;                   // kNoTicks: that end was not seen
    TextNumber begin_thread = kNoText, end_thread = kNoText;  // numbers of threads

    bool is_whole() const { return begin != kNoTicks && end != kNoTicks; }
};

class FlowTable {
public:
    // A later end of the same id takes the place of the one before.
    void add_begin(std::string_view id, Ticks at, TextNumber thread) {
        Flow& flow = of(number_of(id));
        flow.begin = at;
        flow.begin_thread = thread;
    }
    void add_end(std::string_view id, Ticks at, TextNumber thread) {
        Flow& flow = of(number_of(id));
        flow.end = at;
        flow.end_thread = thread;
    }
    // By their end; of equal ends in the order in which their ids came first. No more are added then.
    void sort_by_end();
    const std::vector<Flow>& all() const { return flows_; }
    // Those that end then; the table is sorted.
    std::pair<std::vector<Flow>::const_iterator, std::vector<Flow>::const_iterator> ending_at(Ticks time) const;

private:
    // A number as it is, anything else by its bytes.
    static std::uint64_t number_of(std::string_view token);
    Flow& of(std::uint64_t id);
    void grow();

    std::vector<Flow> flows_;
    std::vector<std::uint32_t> slots_;  // number of the flow + 1; 0: free
};

}  // namespace migrator
