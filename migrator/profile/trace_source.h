// TraceSource: the events of a profile one after the other, whatever stores them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace migrator {

// Every text is as a chrome trace has it, without quotes, but for `name` and `category`, in which escapes are read; `process`, `thread`
// and `id` are tokens with their quotes, as "1" and 1 are two. What an event lacks is empty.
struct TraceEvent {
    std::string_view name, category, phase, process, thread, id, begin, duration;
    std::string_view args;  // an object
};

enum class TraceKind { gpu, npu };

class TraceSource {
public:
    virtual ~TraceSource() = default;
    virtual TraceKind kind() const = 0;
    virtual bool is_database() const { return false; }
    // The next event; its texts live until the next call. nullptr: there is none, and damage() says whether that is the end.
    virtual base::Result<const TraceEvent*> next() = 0;
    // Why the rest is not read; empty: it is whole.
    const std::string& damage() const { return damage_; }
    std::uint64_t count() const { return count_; }
    // Values beside the events, as they are written, those above 1 MiB left out. All are known after the last event.
    const std::map<std::string, std::string, std::less<>>& header() const { return header_; }

protected:
    std::uint64_t count_ = 0;
    std::string damage_;
    std::map<std::string, std::string, std::less<>> header_;
};

}  // namespace migrator
