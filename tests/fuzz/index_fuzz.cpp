// model.safetensors.index.json beside two files: an index that is taken agrees with the files.
#include "base/json.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

std::string weight_file(const std::vector<ckpt::SafetensorsTensor>& tensors) {
    auto layout = ckpt::plan_safetensors(tensors, {});
    std::string out = std::move(layout->header);
    out.resize(layout->file_bytes);
    return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::string first = weight_file({{"a", ckpt::DType::f32, {2}}, {"b", ckpt::DType::bf16, {3}}});
    static const std::string second = weight_file({{"c", ckpt::DType::f32, {1}}});
    const std::string text(fuzz::text_of(data, size));
    test::MemoryFileSystem fs;
    fs.add("c/model-00001-of-00002.safetensors", first);
    fs.add("c/model-00002-of-00002.safetensors", second);
    fs.add("c/model.safetensors.index.json", text);
    const auto index = ckpt::open_hf_weights(fs, "c");
    if (!index) return 0;
    fuzz::require(index->tensors.size() == 3, "all tensors of the files are there");
    const auto json = base::parse_json(text, "index");
    fuzz::require(json.has_value(), "an index that is taken is JSON");
    const base::Json* map = json->root.find("weight_map");
    fuzz::require(map != nullptr && map->object() != nullptr, "an index that is taken has a map");
    for (const auto& [name, file] : *map->object()) {
        bool found = false;
        for (const ckpt::IndexedTensor& tensor : index->tensors)
            found |= tensor.name == name && file.string() != nullptr &&
                     base::file_name(index->files[tensor.file]->path()) == *file.string();
        fuzz::require(found, "a tensor is in the file that the index names");
    }
    return 0;
}
