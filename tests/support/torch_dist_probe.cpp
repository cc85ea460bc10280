// torch_dist_probe: the torch_dist format on the command line, for the tests that compare it with PyTorch.
//
//   torch_dist_probe list DIR     what the reader finds, as JSON
//   torch_dist_probe write DIR    a small checkpoint; tests/oracle/torch_dist_oracle.py knows what is in it
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "base/console.h"
#include "base/file_system.h"
#include "base/format.h"
#include "base/json_writer.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace {

using base::Result;
using base::Status;
using ckpt::DType;
using ckpt::Shape;
using ckpt::TorchDistItem;

// Small enough for the sample to fill several files.
constexpr std::uint64_t kMaxFileBytes = 4096;

void write_numbers(base::JsonWriter& json, const char* key, const std::vector<std::uint64_t>& numbers) {
    json.key(key).begin_array();
    for (std::uint64_t number : numbers) json.unsigned_integer(number);
    json.end_array();
}

void write_tensor(base::JsonWriter& json, const ckpt::TorchDistIndex& index, const ckpt::TorchDistTensor& tensor) {
    json.begin_object().key("fqn").string(tensor.fqn).key("dtype").string(ckpt::name(tensor.dtype));
    write_numbers(json, "shape", tensor.shape);
    json.key("chunks").begin_array();
    for (const auto& chunk : tensor.chunks) {
        json.begin_object().key("file").string(index.files[chunk.file]);
        json.key("file_offset").unsigned_integer(chunk.file_offset);
        write_numbers(json, "offsets", chunk.offsets);
        write_numbers(json, "sizes", chunk.sizes);
        write_numbers(json, "strides", chunk.strides);
        json.key("contiguous").boolean(chunk.contiguous).end_object();
    }
    json.end_array().end_object();
}

// The names in the common state and in its `args`; null when the checkpoint has no common state.
void write_common_state(base::JsonWriter& json, const base::Path& directory, const ckpt::TorchDistIndex& index) {
    auto common = ckpt::read_torch_dist_common_state(base::real_file_system(), directory, index);
    json.key("common_state");
    if (!common) {
        json.null();
        return;
    }
    json.begin_object().key("names").begin_array();
    for (const auto& [name, value] : *ckpt::pickle::mapping_items(common->root)) json.string(*name->as<std::string>());
    json.end_array().key("args").begin_array();
    const auto* args = ckpt::pickle::namespace_items(ckpt::pickle::find(common->root, "args"));
    if (args != nullptr) {
        for (const auto& [name, value] : *args) json.string(*name->as<std::string>());
    }
    json.end_array().end_object();
}

Status list(const base::Path& directory) {
    TRY_ASSIGN(ckpt::TorchDistIndex index, ckpt::read_torch_dist(base::real_file_system(), directory));
    base::JsonWriter json;
    json.begin_object().key("tensors").begin_array();
    for (const auto& tensor : index.tensors) write_tensor(json, index, tensor);
    json.end_array().key("bytes").begin_array();
    for (const auto& bytes : index.bytes) {
        json.begin_object().key("fqn").string(bytes.fqn).key("file").string(index.files[bytes.file]);
        json.key("offset").unsigned_integer(bytes.offset).key("bytes").unsigned_integer(bytes.bytes).end_object();
    }
    json.end_array();
    write_common_state(json, directory, index);
    std::puts(std::move(json.end_object()).take().c_str());
    return {};
}

// Cuts a tensor into chunks that start at every multiple of `step`.
void add_tensor(std::vector<TorchDistItem>& items, const std::string& fqn, DType dtype, const Shape& shape,
                const Shape& step) {
    Shape at(shape.size(), 0);
    while (true) {
        Shape sizes;
        for (std::size_t i = 0; i < shape.size(); ++i) sizes.push_back(std::min(step[i], shape[i] - at[i]));
        items.push_back({fqn, dtype, shape, at, sizes});
        std::size_t axis = shape.size();
        while (axis > 0 && (at[axis - 1] += step[axis - 1]) >= shape[axis - 1]) at[--axis] = 0;
        if (axis == 0) return;
    }
}

ckpt::TorchDistContent sample() {
    ckpt::TorchDistContent content;
    content.max_file_bytes = kMaxFileBytes;
    content.extra_states = {"decoder.layers.mlp.linear_fc1._extra_state/shard_0_2",
                            "decoder.layers.mlp.linear_fc1._extra_state/shard_1_2"};
    add_tensor(content.items, "embedding.word_embeddings.weight", DType::bf16, {10, 6}, {10, 6});
    add_tensor(content.items, "decoder.layers.mlp.linear_fc1.weight", DType::f32, {2, 6, 4}, {1, 6, 4});
    add_tensor(content.items, "decoder.layers.mlp.experts.weight", DType::f16, {2, 3, 5}, {1, 2, 3});
    add_tensor(content.items, "decoder.final_layernorm.weight", DType::f64, {7}, {3});
    add_tensor(content.items, "scalar", DType::i64, {}, {});
    add_tensor(content.items, "empty", DType::f32, {0, 3}, {1, 3});
    for (DType dtype : {DType::boolean, DType::u8, DType::i8, DType::i16, DType::u16, DType::i32, DType::u32,
                        DType::u64, DType::c64, DType::c128, DType::f8_e4m3, DType::f8_e5m2}) {
        add_tensor(content.items, base::format("types.{}", ckpt::name(dtype)), dtype, {3, 4}, {2, 4});
    }
    content.common_state = [](ckpt::TorchFilePlan& file) -> Result<ckpt::pickle::Value*> {
        auto* args = file.dict();
        file.set(args, file.string("num_layers"), file.integer(2));
        file.set(args, file.string("tensor_model_parallel_size"), file.integer(1));
        file.set(args, file.string("pipeline_model_parallel_size"), file.integer(1));
        file.set(args, file.string("params_dtype"), file.dtype(DType::bf16));
        file.set(args, file.string("load"), file.none());
        auto* root = file.dict();
        file.set(root, file.string("args"), file.namespace_of(args));
        file.set(root, file.string("checkpoint_version"), file.real(3.0));
        file.set(root, file.string("iteration"), file.integer(0));
        return root;
    };
    return content;
}

// Every byte depends on its place in the whole tensor. Small values: no NaN, and 0 or 1 for truth values.
std::string payload(const TorchDistItem& item) {
    std::uint64_t width = ckpt::bits(item.dtype) / 8;
    std::uint64_t modulus = item.dtype == DType::boolean ? 2 : 61;
    std::vector<std::uint64_t> strides = ckpt::row_major_strides(item.global_shape);
    std::uint64_t elements = *ckpt::checked_elements(item.chunk_sizes);
    std::string out;
    for (std::uint64_t i = 0; i < elements; ++i) {
        std::uint64_t rest = i, element = 0;
        for (std::size_t axis = strides.size(); axis-- > 0; rest /= item.chunk_sizes[axis])
            element += (item.chunk_offsets[axis] + rest % item.chunk_sizes[axis]) * strides[axis];
        for (std::uint64_t b = element * width; b < (element + 1) * width; ++b)
            out += static_cast<char>(b * 7 % modulus);
    }
    return out;
}

Status write_file(const base::Path& directory, const ckpt::TorchDistContent& content,
                  const ckpt::TorchDistFile& planned) {
    TRY_ASSIGN(auto file, base::real_file_system().create(base::join(directory, planned.path)));
    std::vector<std::uint32_t> crc32;
    for (std::size_t i = 0; i < planned.items.size(); ++i) {
        std::string bytes = payload(content.items[planned.items[i]]);
        crc32.push_back(ckpt::crc32(base::as_bytes(bytes)));
        TRY(file->write_at(planned.offsets[i], base::as_bytes(bytes)));
    }
    for (const auto& chunk : planned.chunks(crc32)) TRY(file->write_at(chunk.offset, base::as_bytes(chunk.data)));
    return file->close();
}

Status write(const base::Path& directory) {
    ckpt::TorchDistContent content = sample();
    TRY_ASSIGN(auto files, ckpt::plan_torch_dist(content));
    TRY(base::real_file_system().make_directories(directory));
    for (const auto& file : files) TRY(write_file(directory, content, file));
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    std::string_view command = argc == 3 ? argv[1] : "";
    if (command != "list" && command != "write") {
        std::fputs("usage: torch_dist_probe list|write DIR\n", stderr);
        return 2;
    }
    Status done = command == "list" ? list(argv[2]) : write(argv[2]);
    if (done) return 0;
    base::print(stderr, base::format("{}\n", done.error().text()));
    return base::exit_code(done.error().kind);
}
