// What torch.save writes, of today and before version 1.6: every tensor lies in the file.
#include <set>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

using ckpt::pickle::Ref;

// Of the last element, in bytes behind the first one; the tensor has elements.
void check_place(ckpt::DType dtype, const ckpt::Shape& shape, const std::vector<std::uint64_t>& strides,
                 std::uint64_t offset, std::uint64_t file_bytes) {
    __extension__ using Wide = unsigned __int128;
    Wide last = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 0) return;
        last += static_cast<Wide>(shape[axis] - 1) * strides[axis];
    }
    const Wide end = offset + (last + 1) * ckpt::bits(dtype) / 8;
    fuzz::require(end <= file_bytes, "a tensor lies inside the file");
}

// The values that a value is made of.
void add_parts(Ref value, std::vector<Ref>& out) {
    using namespace ckpt::pickle;
    auto add_pairs = [&](const auto& pairs) {
        for (const auto& [key, item] : pairs) out.insert(out.end(), {key, item});
    };
    if (const auto* list = value->as<List>()) out.insert(out.end(), list->items.begin(), list->items.end());
    if (const auto* tuple = value->as<Tuple>()) out.insert(out.end(), tuple->items.begin(), tuple->items.end());
    if (const auto* set = value->as<Set>()) out.insert(out.end(), set->items.begin(), set->items.end());
    if (const auto* dict = value->as<Dict>()) add_pairs(dict->items);
    if (const auto* object = value->as<Object>()) {
        out.insert(out.end(), {object->callable, object->args, object->state});
        out.insert(out.end(), object->appended.begin(), object->appended.end());
        add_pairs(object->items);
    }
}

void check_tensors(const ckpt::TorchFile& file, std::uint64_t file_bytes) {
    std::set<Ref> seen{nullptr};
    std::vector<Ref> open{file.root()};
    while (!open.empty()) {
        const Ref value = open.back();
        open.pop_back();
        if (!seen.insert(value).second) continue;
        const auto tensor = file.tensor(value);
        if (tensor && *tensor)
            check_place((*tensor)->dtype, (*tensor)->shape, (*tensor)->strides, (*tensor)->file_offset, file_bytes);
        add_parts(value, open);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input = fuzz::text_of(data, size);
    if (const auto file = ckpt::TorchFile::read(*fuzz::file_of(input))) check_tensors(*file, size);
    test::MemoryFileSystem fs;
    fs.add("input", std::string(input));
    ckpt::TensorIndex index;
    if (!ckpt::add_weight_file(index, fs, "input")) return 0;
    for (const ckpt::IndexedTensor& tensor : index.tensors)
        check_place(tensor.dtype, tensor.shape, tensor.strides, tensor.offset, size);
    return 0;
}
