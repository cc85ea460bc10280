#include <unordered_set>

#include "base/checked_math.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/safetensors/dtype_codes.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

constexpr std::size_t kBufferAlignment = 8;

Status check_names(const std::vector<SafetensorsTensor>& tensors) {
    std::unordered_set<std::string_view> names;
    for (const SafetensorsTensor& tensor : tensors) {
        std::string_view name = tensor.name;
        if (!names.insert(name).second) {
            return base::fail(ErrorKind::internal,
                              base::format("two tensors of one safetensors file are named {}", quoted_name(name)));
        }
        if (name == "__metadata__" || name.find('\0') != std::string_view::npos || !base::is_valid_utf8(name)) {
            return base::fail(ErrorKind::unsupported,
                              base::format("a safetensors file cannot hold a tensor named {}; rename it in the source",
                                           quoted_name(name)));
        }
    }
    return {};
}

Result<std::uint64_t> payload_bytes(const SafetensorsTensor& tensor) {
    if (!safetensors_code(tensor.dtype)) {
        return base::fail(ErrorKind::unsupported, base::format("tensor {}: safetensors has no type for {}",
                                                               quoted_name(tensor.name), name(tensor.dtype)));
    }
    if (tensor.shape.size() > kMaxSafetensorsDimensions) {
        return base::fail(ErrorKind::unsupported, base::format("tensor {}: more than {} dimensions",
                                                               quoted_name(tensor.name), kMaxSafetensorsDimensions));
    }
    auto bytes = checked_bytes(tensor.shape, tensor.dtype);
    if (!bytes) {
        return base::fail(ErrorKind::bad_input,
                          base::format("tensor {}: {} of shape {} is too large, or does not fill whole bytes",
                                       quoted_name(tensor.name), name(tensor.dtype), to_string(tensor.shape)));
    }
    return *bytes;
}

void write_entry(base::JsonWriter& json, const SafetensorsTensor& tensor, std::uint64_t begin, std::uint64_t end) {
    json.key(tensor.name).begin_object();
    json.key("dtype").string(*safetensors_code(tensor.dtype));
    json.key("shape").begin_array();
    for (std::uint64_t extent : tensor.shape) json.unsigned_integer(extent);
    json.end_array();
    json.key("data_offsets").begin_array().unsigned_integer(begin).unsigned_integer(end).end_array();
    json.end_object();
}

// The length, the JSON, and spaces so that the payload starts on a multiple of 8.
std::string framed(std::string json) {
    while ((kSafetensorsLengthBytes + json.size()) % kBufferAlignment != 0) json += ' ';
    std::string out;
    for (std::size_t i = 0; i < kSafetensorsLengthBytes; ++i)
        out += static_cast<char>(static_cast<std::uint64_t>(json.size()) >> (8 * i) & 0xFF);
    return out + json;
}

}  // namespace

Result<SafetensorsLayout> plan_safetensors(const std::vector<SafetensorsTensor>& tensors,
                                           const std::vector<std::pair<std::string, std::string>>& metadata) {
    TRY(check_names(tensors));
    base::JsonWriter json(0);
    json.begin_object();
    if (!metadata.empty()) {
        json.key("__metadata__").begin_object();
        for (const auto& [key, value] : metadata) json.key(key).string(value);
        json.end_object();
    }
    SafetensorsLayout layout;
    std::uint64_t end = 0;
    for (const SafetensorsTensor& tensor : tensors) {
        TRY_ASSIGN(std::uint64_t bytes, payload_bytes(tensor));
        auto next = base::checked_add(end, bytes);
        // The reader takes no offset above 2^63 - 1.
        if (!next || *next > static_cast<std::uint64_t>(INT64_MAX)) {
            return base::fail(ErrorKind::unsupported,
                              "the tensors of one safetensors file exceed 2^63 bytes; write more shards");
        }
        write_entry(json, tensor, end, *next);
        layout.offsets.push_back(end);
        end = *next;
    }
    json.end_object();
    layout.header = framed(std::move(json).take());
    if (layout.header.size() - kSafetensorsLengthBytes > kMaxSafetensorsHeaderBytes) {
        return base::fail(ErrorKind::unsupported,
                          base::format("the header of one safetensors file would exceed {} bytes; write more shards",
                                       kMaxSafetensorsHeaderBytes));
    }
    for (std::uint64_t& offset : layout.offsets) offset += layout.header.size();
    layout.file_bytes = layout.header.size() + end;
    return layout;
}

}  // namespace ckpt
