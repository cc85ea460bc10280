// FlowTable: arrows of a trace from one place to another, by the id that their ends share.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "migrator/profile/packed_list.h"
#include "migrator/profile/text_pool.h"
#include "migrator/profile/ticks.h"

namespace migrator {

inline constexpr Ticks kNoTicks = std::numeric_limits<Ticks>::min();

struct Flow {
    Ticks begin = kNoTicks, end = kNoTicks;                   // begin is kNoTicks where it was not seen
    TextNumber begin_thread = kNoText, end_thread = kNoText;  // numbers of threads

    bool is_whole() const { return begin != kNoTicks; }
};
using Flows = PackedList<Flow, &Flow::begin, &Flow::end, &Flow::begin_thread, &Flow::end_thread>;

class FlowTable {
public:
    void add_begin(std::string_view id, Ticks at, TextNumber thread) { begins_.push_back({number_of(id), at, thread}); }
    void add_end(std::string_view id, Ticks at, TextNumber thread) { ends_.push_back({number_of(id), at, thread}); }
    // Makes arrows of the ends. A later begin or end of an id takes the place of the one before; no more are added then.
    void join();
    // Those whose end was seen, by their end; of equal ends in the order of their begins in the trace.
    const Flows& all() const { return flows_; }
    // The first of those that end then or later, and the first that ends after.
    std::pair<std::size_t, std::size_t> ending_at(Ticks time) const;

private:
    struct End {
        std::uint64_t id = 0;
        Ticks at = 0;
        TextNumber thread = kNoText;
    };
    using Ends = PackedList<End, &End::id, &End::at, &End::thread>;
    class Begins;

    // A number as it is, anything else by its bytes.
    static std::uint64_t number_of(std::string_view token);

    Ends begins_, ends_;
    Flows flows_;
};

}  // namespace migrator
