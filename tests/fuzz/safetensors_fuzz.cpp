// The header of safetensors: tensors lie in the file without gaps or overlaps, and a header of the same tensors is read
// back. Input that begins with '{' is taken as the JSON alone, of a file of the right size.
#include <algorithm>
#include <cstring>

#include "ckpt_convert/formats/safetensors/header_parser.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

// A header and zeros behind it, of any size.
class SparseFile : public base::ReadableFile {
public:
    SparseFile(std::string header, std::uint64_t bytes) : header_(std::move(header)), bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_; }
    const base::Path& path() const override { return path_; }
    base::Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        if (offset > bytes_ || out.size() > bytes_ - offset) return base::fail(base::ErrorKind::bad_input, "too short");
        std::fill(out.begin(), out.end(), std::byte{});
        if (offset < header_.size())
            std::memcpy(out.data(), header_.data() + offset,
                        std::min<std::size_t>(out.size(), header_.size() - offset));
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    std::string header_;
    std::uint64_t bytes_;
    base::Path path_ = "input";
};

std::string with_length(std::string_view json) {
    std::string out;
    for (std::size_t i = 0; i < ckpt::kSafetensorsLengthBytes; ++i)
        out += static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i));
    return out += json;
}

SparseFile file_for(std::string_view input) {
    if (!input.starts_with('{')) return {std::string(input), input.size()};
    std::uint64_t payload = 0;
    if (const auto header = ckpt::parse_safetensors_json(input, "input")) {
        for (const ckpt::SafetensorsEntry& entry : header->entries)
            payload = std::max(payload, std::min<std::uint64_t>(entry.offset, 1ull << 60) +
                                            std::min<std::uint64_t>(entry.bytes, 1ull << 60));
    }
    std::string header = with_length(input);
    const std::uint64_t bytes = header.size() + payload;
    return {std::move(header), bytes};
}

void check_places(const ckpt::SafetensorsHeader& header, std::uint64_t header_bytes, std::uint64_t file_bytes) {
    std::uint64_t end = header_bytes;
    for (const ckpt::SafetensorsEntry& entry : header.entries) {
        fuzz::require(entry.offset == end, "tensors follow each other without gaps");
        end += entry.bytes;
        const auto elements = ckpt::checked_elements(entry.shape);
        fuzz::require(elements.has_value() && *elements * ckpt::bits(entry.dtype) == entry.bytes * 8,
                      "the bytes are those of type and shape");
    }
    fuzz::require(end == file_bytes, "tensors fill the file");
}

void check_written(const ckpt::SafetensorsHeader& header) {
    std::vector<ckpt::SafetensorsTensor> tensors;
    for (const ckpt::SafetensorsEntry& entry : header.entries)
        tensors.push_back({entry.name, entry.dtype, entry.shape});
    const auto layout = ckpt::plan_safetensors(tensors, header.metadata);
    fuzz::require(layout.has_value(), "tensors that were read can be written");
    SparseFile written(layout->header, layout->file_bytes);
    const auto again = ckpt::read_safetensors_header(written);
    fuzz::require(again.has_value(), "what is written is read");
    fuzz::require(again->metadata == header.metadata, "the metadata are read back");
    fuzz::require(again->entries.size() == tensors.size(), "every tensor is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SparseFile file = file_for(fuzz::text_of(data, size));
    const auto header = ckpt::read_safetensors_header(file);
    if (!header) return 0;
    std::uint64_t header_bytes = 0;
    std::byte length[ckpt::kSafetensorsLengthBytes];
    fuzz::require(file.read_at(0, length), "the length is there");
    std::memcpy(&header_bytes, length, sizeof length);  // the fuzzers run on little-endian machines
    check_places(*header, header_bytes + ckpt::kSafetensorsLengthBytes, file.size());
    check_written(*header);
    return 0;
}
