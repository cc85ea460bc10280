#include "migrator/profile/csv_rows.h"

#include <algorithm>
#include <span>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::size_t kCsvWindowBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxRowBytes = std::size_t{64} << 20;

}  // namespace

CsvRows::CsvRows(std::unique_ptr<base::ByteStream> stream, base::Path path)
    : stream_(std::move(stream)), path_(std::move(path)), buffer_(kCsvWindowBytes) {}

base::Result<CsvRows> CsvRows::open(base::FileSystem& fs, const base::Path& path) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    TRY_ASSIGN(auto stream, base::open_stream(fs, path));
    CsvRows out(std::move(stream), path);
    TRY(out.refill());
    if (std::string_view(out.buffer_.data(), out.size_).starts_with(kByteOrderMark)) out.at_ = kByteOrderMark.size();
    TRY_ASSIGN(const bool has_names, out.read_row());
    if (!has_names) return base::fail(base::ErrorKind::bad_input, "there is no row with the names of columns", path);
    out.names_.assign(out.cells_.begin(), out.cells_.end());
    return out;
}

base::Result<bool> CsvRows::refill() {
    if (is_over_) return false;
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), buffer_.begin() + static_cast<std::ptrdiff_t>(size_),
              buffer_.begin());
    size_ -= at_;
    at_ = 0;
    if (size_ == buffer_.size()) {
        if (size_ >= kMaxRowBytes)
            return base::fail(base::ErrorKind::bad_input,
                              base::format("a row has more than {} MiB", kMaxRowBytes >> 20),
                              base::format("{}: row {}", path_, row_ + 1));
        buffer_.resize(buffer_.size() * 2);
    }
    TRY_ASSIGN(const std::size_t count, stream_->read(std::as_writable_bytes(std::span(buffer_).subspan(size_))));
    size_ += count;
    is_over_ = count == 0;
    return count > 0;
}

// The cells of the text up to `end`, which lose their quotes where they stand. False: it ends inside quotes.
bool CsvRows::split_row(std::size_t end) {
    cells_.clear();
    char* at = buffer_.data() + at_;
    char* const stop = buffer_.data() + end;
    for (;;) {
        char* const begin = at;
        char* out = at;
        while (at != stop && *at != ',') {
            if (*at != '"') {
                *out++ = *at++;
                continue;
            }
            for (++at;; ++at) {
                if (at == stop) return false;
                if (*at == '"' && (at + 1 == stop || *++at != '"')) break;
                *out++ = *at;
            }
            if (at + 1 == stop && *at == '"') ++at;
        }
        cells_.push_back(base::trimmed({begin, static_cast<std::size_t>(out - begin)}));
        if (at == stop) return true;
        ++at;
    }
}

base::Result<bool> CsvRows::read_row() {
    std::size_t seen = 0;  // of the text that is left
    bool in_quotes = false;
    for (;;) {
        for (; at_ + seen < size_; ++seen) {
            const char c = buffer_[at_ + seen];
            if (c == '"') in_quotes = !in_quotes;
            else if (c == '\n' && !in_quotes) break;
        }
        const bool has_end = at_ + seen < size_;
        if (!has_end) {
            TRY_ASSIGN(const bool more, refill());
            if (more) continue;
            if (seen == 0) return false;
        }
        ++row_;
        const std::size_t end = at_ + seen;
        const bool is_whole = !in_quotes && split_row(end);
        at_ = std::min(end + 1, size_);
        const bool is_blank = is_whole && cells_.size() == 1 && cells_[0].empty();
        if (!is_whole) damage_ = base::format("the file ends inside the quotes of row {}", row_);
        else if (!has_end && !is_blank) damage_ = base::format("the file ends inside row {}", row_);
        return damage_.empty();
    }
}

base::Result<bool> CsvRows::next() {
    for (;;) {
        TRY_ASSIGN(const bool has_row, read_row());
        if (!has_row) return false;
        const bool is_blank = cells_.size() == 1 && cells_[0].empty();
        if (is_blank || std::equal(cells_.begin(), cells_.end(), names_.begin(), names_.end())) continue;
        if (cells_.size() == names_.size()) return true;
        damage_ = base::format(
            "row {} has {} columns and the first row {}, as where tables of different profiles were "
            "joined; the rows before it were read",
            row_, cells_.size(), names_.size());
        return false;
    }
}

}  // namespace migrator
