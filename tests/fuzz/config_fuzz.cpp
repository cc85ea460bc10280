// config.json: a model of the sizes that it says goes to Megatron's layout and back as often as one likes: all tensors come
// back, and from the second time on nothing changes. Sizes are limited, not what they say together.
#include <algorithm>

#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/target/planned_output.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

constexpr std::uint64_t kMostParameters = 20'000;
constexpr std::size_t kMostTensors = 1000;

base::Result<ckpt::Model> model_of(const base::JsonDocument& config) {
    TRY_ASSIGN(const ckpt::ModelMapping* mapping, test::knowledge().families.for_config(config));
    TRY_ASSIGN(ckpt::ModelValues values, ckpt::values_from_config(*mapping, config));
    return ckpt::Model::make(*mapping, std::move(values));
}

// model.safetensors with the weights of the model, each element another number.
base::Result<std::string> weights_of(const ckpt::Model& model) {
    TRY_ASSIGN(ckpt::Layout layout, ckpt::written_hf_layout(model));
    std::vector<ckpt::SafetensorsTensor> tensors;
    for (const ckpt::LayoutTensor& tensor : layout.tensors) {
        if (!tensor.optional) tensors.push_back({tensor.name, ckpt::DType::bf16, tensor.shape_in_file()});
    }
    TRY_ASSIGN(ckpt::SafetensorsLayout planned, ckpt::plan_safetensors(tensors, {}));
    std::string file = std::move(planned.header);
    for (std::uint64_t i = 0; file.size() < planned.file_bytes; ++i) {
        file += static_cast<char>(i);
        file += static_cast<char>(0x20 + i / 256 % 32);
    }
    return file;
}

bool convert(base::FileSystem& fs, const char* from, const char* to, std::size_t choice) {
    auto options = test::options(from, to, choice % 2 == 0 ? 1 : 2, choice % 3 == 0 ? 1 : 2);
    if (!fs.exists(base::join(from, "config.json"))) options = test::options(from, to);
    options.threads = 1;
    return test::convert(fs, options).has_value();
}

using Tensors = std::map<std::string, std::string>;  // shape and bytes by name

bool same_names(const Tensors& a, const Tensors& b) {
    return std::ranges::equal(a, b, [](const auto& one, const auto& other) {
        return one.first == other.first && one.second.size() == other.second.size();
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const auto config = base::parse_json(text, "config.json", base::kPythonJson);
    if (!config) return 0;
    const auto model = model_of(*config);
    if (!model || model->parameters() > kMostParameters || model->tensors().size() > kMostTensors) return 0;
    auto weights = weights_of(*model);
    if (!weights) return 0;
    test::MemoryFileSystem fs;
    fs.add("hf/config.json", text);
    fs.add("hf/model.safetensors", std::move(*weights));
    if (!convert(fs, "hf", "megatron", size)) return 0;
    fuzz::require(convert(fs, "megatron", "back", size), "the way back is open");
    const auto first = test::tensors_of(fs, "hf"), back = test::tensors_of(fs, "back");
    fuzz::require(same_names(first, back), "all tensors come back, and no others");
    // Values that a model does not use, or has twice, are those of the conversion now; from here on nothing changes.
    fuzz::require(convert(fs, "back", "again", size) && convert(fs, "again", "same", size),
                  "what came back is converted");
    for (const auto& [name, content] : test::tensors_of(fs, "same"))
        fuzz::require(back.at(name) == content, "there and back again: " + name);
    return 0;
}
