#include "migrator/profile/trace_events.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/format.h"
#include "base/printable.h"

namespace migrator {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxEventBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
constexpr std::string_view kEventsKey = "traceEvents";

// What a file is that begins as no trace does.
std::string_view foreign_kind(std::string_view text) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff") || text.substr(0, 4).find('\0') != text.npos)
        return "it is UTF-16 or no text; a trace is JSON in UTF-8";
    if (text.starts_with("version https://git-lfs"))
        return "it is a pointer of Git LFS; fetch the file itself with git lfs pull";
    if (text.starts_with("SQLite format 3")) return "it is a database; name the file itself";
    if (text.starts_with("<")) return "it is HTML or XML, such as the page of an error, and no trace";
    if (text.empty()) return "the file is empty";
    return "it does not begin like a trace; give the JSON of torch.profiler or trace_view.json";
}

}  // namespace

TraceEvents::TraceEvents(std::unique_ptr<base::ByteStream> stream, base::Path path)
    : stream_(std::move(stream)), path_(std::move(path)), buffer_(kWindowBytes) {}

base::Result<TraceEvents> TraceEvents::open(base::FileSystem& fs, const base::Path& path) {
    TRY_ASSIGN(auto stream, base::open_stream(fs, path));
    return open(std::move(stream), path);
}

base::Result<TraceEvents> TraceEvents::open(std::unique_ptr<base::ByteStream> stream, const base::Path& name) {
    TraceEvents out(std::move(stream), name);
    TRY(out.begin());
    return out;
}

base::Status TraceEvents::begin() {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    TRY_ASSIGN(bool more, refill());
    if (text().starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
    JsonCursor cursor(text());
    char first = cursor.peek();
    while (first == '\0' && cursor.at_end() && more) {
        at_ = size_;
        TRY_ASSIGN(more, refill());
        cursor = JsonCursor(text());
        first = cursor.peek();
    }
    if (first != '{' && first != '[') {
        if (!stream_damage_.empty()) return base::fail(base::ErrorKind::bad_input, stream_damage_, path_);
        return base::fail(base::ErrorKind::bad_input, std::string(foreign_kind(text())), path_);
    }
    at_ = static_cast<std::size_t>(cursor.at() - buffer_.data()) + 1;
    kind_ = first == '[' ? TraceKind::npu : TraceKind::gpu;
    place_ = first == '[' ? Place::in_events : Place::in_header;
    return {};
}

// What is left moves to the front, and as much as there is room for comes behind it. False: there is no more.
base::Result<bool> TraceEvents::refill() {
    if (stream_is_over_) return false;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), buffer_.begin() + static_cast<std::ptrdiff_t>(size_),
              buffer_.begin());
    base_ += at_;
    size_ -= at_;
    at_ = 0;
    if (size_ == buffer_.size()) {
        if (size_ >= kMaxEventBytes)
            return base::fail(
                base::ErrorKind::bad_input,
                base::format("an event has more than {} MiB, which no profiler writes", kMaxEventBytes >> 20),
                base::format("{}: byte {}", path_, base_));
        buffer_.resize(buffer_.size() * 2);
    }
    auto read = stream_->read(std::as_writable_bytes(std::span(buffer_).subspan(size_)));
    if (!read && read.error().kind != base::ErrorKind::bad_input) return tl::unexpected(read.error());
    if (!read) stream_damage_ = read.error().message;
    stream_is_over_ = !read || *read == 0;
    if (read) size_ += *read;
    return !stream_is_over_;
}

template <class Read>
base::Result<bool> TraceEvents::whole(const Read& read) {
    for (;;) {
        JsonCursor cursor(text());
        read(cursor);
        if (cursor.state() == JsonCursor::State::good) {
            at_ = static_cast<std::size_t>(cursor.at() - buffer_.data());
            return true;
        }
        if (cursor.state() == JsonCursor::State::cut) {
            TRY_ASSIGN(const bool more, refill());
            if (more) continue;
        }
        damaged(cursor.state(), base_ + static_cast<std::size_t>(cursor.at() - buffer_.data()));
        return false;
    }
}

void TraceEvents::damaged(JsonCursor::State state, std::uint64_t place) {
    place_ = Place::over;
    if (!stream_damage_.empty())
        damage_ = base::format("{} after byte {} of what is in it; {} complete events were read", stream_damage_, place,
                               count_);
    else if (state == JsonCursor::State::cut)
        damage_ = base::format("the file ends inside event {}, at byte {}; {} complete events were read", count_ + 1,
                               place, count_);
    else
        damage_ =
            base::format("byte {} in event {} is not JSON; {} events before it were read", place, count_ + 1, count_);
}

// Behind the last bracket there are blanks only.
base::Status TraceEvents::check_rest() {
    if (std::exchange(is_rest_checked_, true)) return {};
    for (;;) {
        JsonCursor cursor(text());
        const bool has_more = cursor.peek() != '\0' || !cursor.at_end();
        at_ = static_cast<std::size_t>(cursor.at() - buffer_.data());
        if (has_more)
            damage_ = base::format(
                "more follows the end of the trace, at byte {}, as where two files were joined; the {} events before "
                "it were read",
                base_ + at_, count_);
        if (has_more) return {};
        TRY_ASSIGN(const bool more, refill());
        if (!more && !stream_damage_.empty()) damaged(JsonCursor::State::cut, base_ + at_);
        if (!more) return {};
    }
}

// One member beside the events, up to those.
base::Status TraceEvents::next_header() {
    std::string_view key, value;
    bool is_end = false, has_events = false;
    const auto read = [&](JsonCursor& cursor) {
        is_end = has_events = false;
        if (!is_first_ && cursor.peek() != '}' && !cursor.expect(',')) return;
        if (cursor.take('}')) {
            is_end = true;
            return;
        }
        key = cursor.key();
        if (!cursor.expect(':')) return;
        if (key == kEventsKey && cursor.take('[')) has_events = true;
        else value = cursor.value();
    };
    TRY_ASSIGN(const bool is_whole, whole(read));
    if (!is_whole) return {};
    is_first_ = has_events;
    if (is_end) place_ = Place::over;
    else if (has_events) place_ = Place::in_events;
    else if (value.size() <= kMaxHeaderBytes) header_.emplace(key, value);
    return {};
}

bool TraceEvents::read_event(JsonCursor& cursor) {
    event_ = {};
    if (!is_first_ && cursor.peek() != ']' && !cursor.expect(',')) return false;
    if (cursor.take(']')) return false;  // also behind a comma, as writers of chrome's format leave it
    if (!cursor.expect('{') || cursor.take('}')) return true;
    do {
        const std::string_view key = cursor.key();
        if (!cursor.expect(':')) return true;
        const std::string_view value = cursor.value();
        if (key == "name") event_.name = unquoted(value);
        else if (key == "cat") event_.category = unquoted(value);
        else if (key == "ph") event_.phase = unquoted(value);
        else if (key == "ts") event_.begin = unquoted(value);
        else if (key == "dur") event_.duration = unquoted(value);
        else if (key == "pid") event_.process = value;
        else if (key == "tid") event_.thread = value;
        else if (key == "id") event_.id = value;
        else if (key == "args" && value.starts_with('{')) event_.args = value;
    } while (cursor.take(','));
    cursor.expect('}');
    return true;
}

base::Result<const TraceEvent*> TraceEvents::next() {
    while (place_ == Place::in_header) TRY(next_header());
    if (place_ == Place::over) {
        if (damage_.empty()) TRY(check_rest());
        return nullptr;
    }
    bool is_event = false;
    TRY_ASSIGN(const bool is_whole, whole([&](JsonCursor& cursor) { is_event = read_event(cursor); }));
    if (!is_whole) return nullptr;
    is_first_ = false;
    if (!is_event) {
        place_ = kind_ == TraceKind::npu ? Place::over : Place::in_header;
        return next();
    }
    ++count_;
    event_.name = unescaped(event_.name, name_);
    event_.category = unescaped(event_.category, category_);
    return &event_;
}

}  // namespace migrator
