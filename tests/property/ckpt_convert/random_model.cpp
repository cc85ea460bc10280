#include "tests/property/ckpt_convert/random_model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/format.h"
#include "base/json_writer.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/plan/layout.h"

namespace test {
namespace {

using ckpt::DType;

// Megatron has modules for them in some layouts only, or splits them by other sizes than heads; the rest is refused.
constexpr std::array<std::string_view, 5> kInSomeLayouts{"gpt_oss", "internlm", "longcat", "mamba2", "phi35_moe"};

using Sizes = std::map<std::string, std::int64_t, std::less<>>;

// By the names of the values in mapping files. Heads may be wider than hidden / heads, vocabularies odd.
Sizes random_sizes(Random& random) {
    Sizes sizes;
    sizes["layers"] = random.between(1, 8);
    sizes["kv_groups"] = random.between(1, 4);
    sizes["heads"] = sizes["kv_groups"] * random.pick<std::int64_t>({1, 2, 4});
    sizes["head_dim"] = random.pick<std::int64_t>({1, 2, 4, 6});
    sizes["hidden"] = sizes["heads"] * random.between(1, 3);
    sizes["ffn"] = random.pick<std::int64_t>({6, 8, 12, 24, 40});
    sizes["ffn_doubled"] = 2 * sizes["ffn"];
    sizes["vocab"] = random.between(3, 70);
    sizes["experts"] = random.pick<std::int64_t>({2, 4, 12});
    sizes["moe_ffn"] = sizes["shared_ffn"] = sizes["ffn"];
    sizes["shared_experts"] = random.between(0, 2);
    sizes["sparse_step"] = random.between(1, 2);
    sizes["first_k_dense"] = random.between(0, static_cast<std::uint32_t>(sizes["layers"]) - 1);
    sizes["moe_freq"] = 1;
    sizes["mtp"] = random.between(0, 2);
    // Some versions split the narrow projections, of q_rank and of kv_rank + rope_dim rows, over TP.
    sizes["q_rank"] = random.pick<std::int64_t>({0, 24});
    sizes["kv_rank"] = 22;
    sizes["rope_dim"] = 2;
    sizes["nope_dim"] = random.between(1, 4);
    sizes["value_dim"] = random.between(1, 4);
    return sizes;
}

// "tied", "qkv_bias" ...
bool is_switch(const ckpt::ValueRule& rule) { return rule.name == "tied" || rule.name.ends_with("_bias"); }

// The text of config.json: each value of the family under one of the names that its mapping file reads.
std::string config_text(const ckpt::ModelMapping& mapping, const Sizes& sizes, Random& random, std::string_view on) {
    base::JsonWriter json(2);
    json.begin_object().key("model_type").string(mapping.model_types.front());
    json.key("rms_norm_eps").number(1e-6);
    std::set<std::string> written;
    for (const ckpt::ValueRule& rule : mapping.values) {
        if (rule.config.empty() || !rule.is.empty()) continue;
        const std::string& path = random.pick(rule.config);
        if (path.find('.') != std::string::npos || !written.insert(path).second) continue;
        auto size = sizes.find(rule.name);
        if (size != sizes.end()) {
            json.key(path).integer(size->second);
        } else {
            // Other values have a default.
            if (is_switch(rule)) json.key(path).boolean(rule.name == on || random.one_in(2));
            else REQUIRE(rule.fallback.has_value());
        }
    }
    json.end_object();
    return std::move(json).take();
}

// Spreads the bits of a number, so that neighbouring elements have nothing in common.
std::uint32_t mixed(std::uint32_t value) {
    value = (value ^ (value >> 16)) * 0x7FEB352Du;
    value = (value ^ (value >> 15)) * 0x846CA68Bu;
    return value ^ (value >> 16);
}

// Finite values of any floating-point type: the highest bit of the exponent is 0.
// `seed`: tensors with the same one are copies of each other.
std::string values_of(const ckpt::SafetensorsTensor& tensor, const std::string& seed) {
    std::uint64_t count = *ckpt::checked_elements(tensor.shape);
    std::size_t size = ckpt::bits(tensor.dtype) / 8;
    std::uint32_t start = ckpt::crc32(base::as_bytes(seed));
    std::string bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint32_t value = mixed(start + static_cast<std::uint32_t>(i));
        for (std::size_t byte = 0; byte < size; ++byte) bytes += static_cast<char>(value >> (8 * byte));
        bytes.back() = static_cast<char>(bytes.back() & 0xBF);
    }
    return bytes;
}

std::vector<ckpt::SafetensorsTensor> tensors_of(const ckpt::Layout& layout, Random& random) {
    DType matrices = random.pick<DType>({DType::bf16, DType::bf16, DType::f16, DType::f32});
    DType vectors = random.one_in(4) ? DType::f32 : matrices;
    std::vector<ckpt::SafetensorsTensor> out;
    for (const ckpt::LayoutTensor& tensor : layout.tensors) {
        if (tensor.optional) continue;
        const ckpt::Shape& stored = tensor.file_shape.empty() ? tensor.shape : tensor.file_shape;
        out.push_back({tensor.name, tensor.shape.size() == 1 ? vectors : matrices, stored});
    }
    return out;
}

}  // namespace

bool has_random_models(const ckpt::ModelMapping& mapping) {
    if (std::ranges::find(kInSomeLayouts, mapping.family) != kInSomeLayouts.end()) return false;
    Random random(0);
    const Sizes sizes = random_sizes(random);
    return std::all_of(mapping.values.begin(), mapping.values.end(), [&](const ckpt::ValueRule& rule) {
        // Layers that a config describes one by one are not made here.
        bool by_layer =
            std::ranges::any_of(rule.config, [](const auto& path) { return path.find(".*.") != std::string::npos; });
        return !by_layer && (rule.config.empty() || rule.fallback || is_switch(rule) || sizes.contains(rule.name));
    });
}

ckpt::Model add_random_hf(MemoryFileSystem& fs, const base::Path& directory, const ckpt::ModelMapping& mapping,
                          Random& random, std::string_view on) {
    std::string text = config_text(mapping, random_sizes(random), random, on);
    auto config = base::parse_json(text, base::join(directory, "config.json"));
    REQUIRE(config);
    auto values = ckpt::values_from_config(mapping, *config);
    REQUIRE_MESSAGE(values, values.error().text());
    auto model = ckpt::Model::make(mapping, *values);
    REQUIRE(model);
    ckpt::HfVariant variant;
    if (!mapping.hf_prefixes.empty()) variant.prefix = mapping.hf_prefixes.front();
    auto layout = ckpt::hf_layout(*model, variant);
    REQUIRE(layout);

    std::map<std::string, std::string> seeds;
    for (const ckpt::LayoutTensor& tensor : layout->tensors)
        seeds[tensor.name] = tensor.pieces.size() == 1 ? model->tensors()[tensor.pieces[0].logical].name : tensor.name;
    auto tensors = tensors_of(*layout, random);
    auto planned = ckpt::plan_safetensors(tensors, {{"format", "pt"}});
    REQUIRE(planned);
    std::string file = planned->header;
    file.resize(planned->file_bytes);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        std::string bytes = values_of(tensors[i], seeds[tensors[i].name]);
        file.replace(planned->offsets[i], bytes.size(), bytes);
    }
    fs.add(base::join(directory, "model.safetensors"), std::move(file));
    fs.add(base::join(directory, "config.json"), text);
    return std::move(*model);
}

}  // namespace test
