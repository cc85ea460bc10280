// config.json: a model of the sizes that it says is converted to Megatron's layout and back without a change. Sizes are
// limited, not what they say together.
#include <algorithm>

#include "ckpt_convert/app/planned_output.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(fuzz::text_of(data, size));
    const auto config = base::parse_json(text, "config.json", base::kPythonJson);
    if (!config) return 0;
    const auto model = model_of(*config);
    if (!model || model->parameters() > kMostParameters || model->tensors().size() > kMostTensors) return 0;
    // What no layout keeps does not come back, nor do copies in layers for multi-token prediction that are none here.
    if (std::ranges::any_of(model->tensors(), &ckpt::LogicalTensor::unused) || model->mtp_layers() > 0) return 0;
    auto weights = weights_of(*model);
    if (!weights) return 0;
    test::MemoryFileSystem fs;
    fs.add("hf/config.json", text);
    fs.add("hf/model.safetensors", std::move(*weights));
    auto there = test::options("hf", "megatron", size % 2 == 0 ? 1 : 2, size % 3 == 0 ? 1 : 2);
    there.threads = 1;
    if (!test::convert(fs, there)) return 0;
    auto back = test::options("megatron", "back");
    back.threads = 1;
    const auto done = test::convert(fs, back);
    if (!done) fuzz::require(false, "the way back is open: " + done.error().text());
    const auto before = test::tensors_of(fs, "hf"), after = test::tensors_of(fs, "back");
    for (const auto& [name, content] : before) {
        const auto found = after.find(name);
        fuzz::require(found != after.end() && found->second == content, "there and back: " + name);
    }
    fuzz::require(after.size() == before.size(), "there and back: no tensor is new");
    return 0;
}
