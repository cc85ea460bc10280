#include "ckpt_convert/formats/safetensors/header_parser.h"

#include <array>
#include <optional>

#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/safetensors/dtype_codes.h"

namespace ckpt {
namespace {

// { "name": { "shape": [ ... ] } } and, in fields that are ignored, one level more.
constexpr int kMaxDepth = 4;
constexpr std::uint64_t kHeaderStart = 8;

// Builds the entries while the JSON is read, so that nothing but them is kept.
class HeaderHandler : public base::JsonHandler {
public:
    explicit HeaderHandler(const std::string& file) : file_(file) {}

    Status null(std::uint64_t offset) override {
        // The reference reader takes "__metadata__": null for no metadata.
        if (at_ == At::top && key_ == "__metadata__") return {};
        return scalar("null", offset);
    }
    Status boolean(bool, std::uint64_t offset) override { return scalar("true or false", offset); }
    Status number(double, std::uint64_t offset) override {
        return scalar("a number with a fraction or exponent", offset);
    }
    Status big_integer(std::uint64_t, std::uint64_t offset) override { return scalar("an integer above 2^63", offset); }
    Status integer(std::int64_t value, std::uint64_t offset) override;
    Status string(std::string&& value, std::uint64_t offset) override;
    Status begin_object(std::uint64_t offset) override;
    Status key(std::string&& value, std::uint64_t offset) override;
    Status end_object() override;
    Status begin_array(std::uint64_t offset) override;
    Status end_array() override;

    SafetensorsHeader take() && { return std::move(header_); }

private:
    enum class At { document, top, metadata, entry, shape, data_offsets };

    // A value of a kind that is only right inside a field nobody reads.
    Status scalar(const char* kind, std::uint64_t offset);
    Status finish_entry();
    tl::unexpected<base::Error> error(std::string message, std::uint64_t offset) const {
        last_offset_ = offset;
        return base::fail(ErrorKind::bad_input, std::move(message),
                          base::format("{}: byte {}", file_, kHeaderStart + offset));
    }
    tl::unexpected<base::Error> entry_error(const std::string& message, std::uint64_t offset) const {
        return error(base::format("tensor {}: {}", quoted_name(entry_.name), message), offset);
    }
    bool ignoring() const { return ignored_depth_ > 0 || (at_ == At::entry && !is_known_field()); }
    bool is_known_field() const { return key_ == "dtype" || key_ == "shape" || key_ == "data_offsets"; }

    const std::string& file_;
    SafetensorsHeader header_;
    At at_ = At::document;
    int ignored_depth_ = 0;  // open objects and arrays inside a field that is ignored
    std::string key_;
    mutable std::uint64_t last_offset_ = 0;

    SafetensorsEntry entry_;
    bool has_dtype_ = false;
    bool has_shape_ = false;
    bool has_offsets_ = false;
    std::array<std::uint64_t, 2> range_{};  // begin and end in the byte buffer
    std::size_t range_size_ = 0;
};

Status HeaderHandler::scalar(const char* kind, std::uint64_t offset) {
    last_offset_ = offset;
    if (ignoring()) return {};
    switch (at_) {
        case At::document: return error(base::format("the header must be an object, not {}", kind), offset);
        case At::top: return error(base::format("{} must be an object, not {}", quoted_name(key_), kind), offset);
        case At::metadata:
            return error(base::format("__metadata__ {} must be a string, not {}", quoted_name(key_), kind), offset);
        case At::entry: {
            const char* wanted = key_ == "dtype" ? "a string" : "an array";
            return entry_error(base::format("\"{}\" must be {}, not {}", key_, wanted, kind), offset);
        }
        case At::shape:
            return entry_error(base::format("\"shape\" must hold integers from 0 to 2^63 - 1, not {}", kind), offset);
        case At::data_offsets:
            return entry_error(base::format("\"data_offsets\" must hold integers from 0 to 2^63 - 1, not {}", kind),
                               offset);
    }
    return {};
}

Status HeaderHandler::integer(std::int64_t value, std::uint64_t offset) {
    if (ignoring() || (at_ != At::shape && at_ != At::data_offsets)) return scalar("an integer", offset);
    if (value < 0) return scalar("a negative integer", offset);
    auto amount = static_cast<std::uint64_t>(value);
    if (at_ == At::shape) {
        if (entry_.shape.size() == kMaxSafetensorsDimensions) {
            return entry_error(base::format("more than {} dimensions", kMaxSafetensorsDimensions), offset);
        }
        entry_.shape.push_back(amount);
        return {};
    }
    if (range_size_ == range_.size()) return entry_error("\"data_offsets\" must hold two integers, not more", offset);
    range_[range_size_++] = amount;
    return {};
}

Status HeaderHandler::string(std::string&& value, std::uint64_t offset) {
    if (!ignoring() && at_ == At::metadata) {
        header_.metadata.emplace_back(std::move(key_), std::move(value));
        return {};
    }
    if (ignoring() || at_ != At::entry || key_ != "dtype") return scalar("a string", offset);
    auto dtype = dtype_from_safetensors_code(value);
    if (!dtype) return entry_error(base::format("the dtype {} is not known", quoted_name(value)), offset);
    entry_.dtype = *dtype;
    has_dtype_ = true;
    return {};
}

Status HeaderHandler::begin_object(std::uint64_t offset) {
    last_offset_ = offset;
    if (ignoring()) {
        ++ignored_depth_;
    } else if (at_ == At::document) {
        at_ = At::top;
    } else if (at_ == At::top && key_ == "__metadata__") {
        at_ = At::metadata;
    } else if (at_ == At::top) {
        entry_ = {};
        entry_.name = std::move(key_);
        has_dtype_ = has_shape_ = has_offsets_ = false;
        at_ = At::entry;
    } else {
        return scalar("an object", offset);
    }
    key_.clear();
    return {};
}

Status HeaderHandler::key(std::string&& value, std::uint64_t offset) {
    last_offset_ = offset;
    if (ignored_depth_ > 0) return {};
    if (at_ == At::top && value.find('\0') != std::string::npos) {
        return error(base::format("the tensor name {} has a NUL character", quoted_name(value)), offset);
    }
    key_ = std::move(value);
    return {};
}

Status HeaderHandler::end_object() {
    if (ignored_depth_ > 0) {
        --ignored_depth_;
        return {};
    }
    if (at_ == At::entry) TRY(finish_entry());
    at_ = at_ == At::top ? At::document : At::top;
    return {};
}

Status HeaderHandler::begin_array(std::uint64_t offset) {
    last_offset_ = offset;
    if (ignoring()) {
        ++ignored_depth_;
        return {};
    }
    if (at_ == At::entry && key_ == "shape") {
        at_ = At::shape;
        has_shape_ = true;
        return {};
    }
    if (at_ == At::entry && key_ == "data_offsets") {
        at_ = At::data_offsets;
        has_offsets_ = true;
        range_size_ = 0;
        return {};
    }
    return scalar("an array", offset);
}

Status HeaderHandler::end_array() {
    if (ignored_depth_ > 0) {
        --ignored_depth_;
        return {};
    }
    if (at_ == At::data_offsets && range_size_ != 2) {
        return entry_error("\"data_offsets\" must hold two integers, not fewer", last_offset_);
    }
    at_ = At::entry;
    return {};
}

Status HeaderHandler::finish_entry() {
    const char* missing = !has_dtype_ ? "dtype" : !has_shape_ ? "shape" : !has_offsets_ ? "data_offsets" : nullptr;
    if (missing != nullptr) return entry_error(base::format("\"{}\" is missing", missing), last_offset_);
    auto [begin, end] = range_;
    if (begin > end) {
        return entry_error(base::format("\"data_offsets\" end before they begin: {} to {}", begin, end), last_offset_);
    }
    auto bytes = checked_bytes(entry_.shape, entry_.dtype);
    if (!bytes) {
        return entry_error(base::format("{} of shape {} is too large, or does not fill whole bytes", name(entry_.dtype),
                                        to_string(entry_.shape)),
                           last_offset_);
    }
    if (*bytes != end - begin) {
        return entry_error(base::format("{} of shape {} needs {} bytes, but \"data_offsets\" span {}",
                                        name(entry_.dtype), to_string(entry_.shape), *bytes, end - begin),
                           last_offset_);
    }
    entry_.offset = begin;
    entry_.bytes = *bytes;
    header_.entries.push_back(std::move(entry_));
    return {};
}

}  // namespace

Result<SafetensorsHeader> parse_safetensors_json(std::string_view json, const std::string& file) {
    HeaderHandler handler(file);
    TRY(base::parse_json_events(json, file + " (header)", handler, base::JsonLimits{kMaxDepth}));
    return std::move(handler).take();
}

}  // namespace ckpt
