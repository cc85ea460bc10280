// TraceEvents: the events of a chrome trace one after the other, from a file of any size, packed or not. Memory is that of a window.
//
//   {"schemaVersion": 1, "deviceProperties": [...], "traceEvents": [EVENT, ...], ...}     torch.profiler
//   [EVENT, ...]                                                                           trace_view.json of Ascend's profiler
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_stream.h"
#include "migrator/profile/json_tokens.h"
#include "migrator/profile/trace_source.h"

namespace migrator {

class TraceEvents : public TraceSource {
public:
    // Fails with bad_input where the file begins as no trace does, and says what it is instead.
    static base::Result<TraceEvents> open(base::FileSystem& fs, const base::Path& path);
    // The same of what is no file; `name` is for errors.
    static base::Result<TraceEvents> open(std::unique_ptr<base::ByteStream> stream, const base::Path& name);

    // By the outermost bracket.
    TraceKind kind() const override { return kind_; }
    base::Result<const TraceEvent*> next() override;
    std::uint64_t bytes() const { return base_ + size_; }

private:
    enum class Place { in_header, in_events, over };
    explicit TraceEvents(std::unique_ptr<base::ByteStream> stream, base::Path path);

    base::Status begin();
    base::Result<bool> refill();
    // Reads on until `read`, which may see the text again from its beginning, does not find the end of the text.
    template <class Read>
    base::Result<bool> whole(const Read& read);
    base::Status next_header();
    bool read_event(JsonCursor& cursor);
    std::string_view text() const { return {buffer_.data() + at_, size_ - at_}; }
    void damaged(JsonCursor::State state, std::uint64_t place);
    base::Status check_rest();

    std::unique_ptr<base::ByteStream> stream_;
    base::Path path_;
    std::vector<char> buffer_;
    std::size_t at_ = 0, size_ = 0;  // of what is in the buffer
    std::uint64_t base_ = 0;         // of the buffer in the unpacked file
    bool stream_is_over_ = false;
    std::string stream_damage_;
    Place place_ = Place::in_header;
    bool is_first_ = true;
    bool is_rest_checked_ = false;
    TraceKind kind_ = TraceKind::gpu;
    TraceEvent event_;
    std::string name_, category_;
};

}  // namespace migrator
