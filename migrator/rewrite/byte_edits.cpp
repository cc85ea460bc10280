#include "migrator/rewrite/byte_edits.h"

#include "base/check.h"
#include "migrator/source/text_codec.h"

namespace migrator {
namespace {

constexpr std::uint64_t kUtf8MarkBytes = 3;

// Offsets of a text, asked for in ascending order, as offsets of its bytes.
class ByteOffsets {
public:
    explicit ByteOffsets(const FileOutcome& outcome)
        : text_(outcome.original),
          encoding_(outcome.encoding.name),
          bytes_(outcome.encoding.bom ? kUtf8MarkBytes : 0) {}

    std::uint64_t of(std::uint64_t offset) {
        if (encoding_ == "utf-8") {
            bytes_ += offset - done_;
        } else {
            auto encoded = encode_text(std::string_view(text_).substr(done_, offset - done_), encoding_);
            CHECK(encoded);
            bytes_ += encoded->size();
        }
        done_ = offset;
        return bytes_;
    }

private:
    const std::string& text_;
    const std::string& encoding_;
    std::uint64_t done_ = 0;
    std::uint64_t bytes_;
};

}  // namespace

std::vector<base::ByteRange> byte_ranges(const FileOutcome& outcome) {
    std::vector<base::ByteRange> out;
    ByteOffsets offsets(outcome);
    for (const OwnedEdit& one : outcome.edits) {
        const std::uint64_t begin = offsets.of(one.edit.range.begin);
        out.push_back({begin, offsets.of(one.edit.range.end)});
    }
    return out;
}

}  // namespace migrator
