#include "ckpt_convert/checkpoint/zeros.h"

#include <algorithm>

namespace ckpt {
namespace {

class Zeros : public base::ReadableFile {
public:
    explicit Zeros(std::uint64_t bytes) : bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_; }
    const Path& path() const override { return path_; }
    Status read_at(std::uint64_t, base::MutableByteSpan out) override {
        std::fill(out.begin(), out.end(), std::byte{0});
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    std::uint64_t bytes_;
    Path path_ = "zeros";
};

}  // namespace

std::uint32_t add_zeros(TensorIndex& index, DType dtype, const Shape& shape) {
    IndexedTensor zeros;
    zeros.name = std::string("zeros");
    zeros.dtype = dtype;
    zeros.shape = shape;
    zeros.strides = row_major_strides(shape);
    zeros.file = static_cast<std::uint32_t>(index.files.size());
    index.files.push_back(std::make_shared<Zeros>(zeros.bytes()));
    index.tensors.push_back(std::move(zeros));
    return static_cast<std::uint32_t>(index.tensors.size() - 1);
}

bool is_zeros(const base::ReadableFile& file) { return dynamic_cast<const Zeros*>(&file) != nullptr; }

}  // namespace ckpt
