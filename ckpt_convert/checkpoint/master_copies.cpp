#include "ckpt_convert/checkpoint/master_copies.h"

#include <algorithm>
#include <span>

#include "base/format.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kRoundedElements = 64;
constexpr std::uint64_t kElementsAtOnce = 1 << 18;

}  // namespace

Status MasterCopies::check(const TorchDistTensor& master, const OpenedFile& file, const TorchTensor& rounded) const {
    // With ZeRO 3 the module's tensors are empty.
    if (rounded.shape == Shape{0} && master.shape != Shape{0}) return {};
    if (rounded.shape != master.shape)
        return files_.bad(base::format("{} has the shape {} in the module, but {} in param_shapes", master.fqn,
                                       to_string(rounded.shape), to_string(master.shape)),
                          file.name);
    const std::uint64_t elements = checked_elements(master.shape).value_or(0);
    if (elements == 0 || !rounded.contiguous || !can_cast(DType::f32, rounded.dtype) || master.dtype != DType::f32)
        return {};
    const std::uint64_t count = std::min(elements, kRoundedElements);
    TRY(compare(master, file, rounded, 0, count));
    return compare(master, file, rounded, elements - count, elements);
}

Status MasterCopies::compare(const TorchDistTensor& master, const OpenedFile& file, const TorchTensor& rounded,
                             std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t count = end - begin, bytes = bits(rounded.dtype) / 8;
    TRY_ASSIGN(const auto full, read(master, begin, end));
    std::vector<std::byte> stored(count * bytes), expected(count * bytes);
    TRY_ASSIGN(const auto module, fs_.open(files_.path(file.name)));
    TRY(module->read_at(rounded.file_offset + begin * bytes, stored));
    cast(expected.data(), rounded.dtype, full.data(), DType::f32, count);
    if (expected == stored) return {};
    return files_.bad(
        base::format("{} is not what the optimizer's copy of it in float32 is when it is rounded; the files are "
                     "of different saves, or the parameters are in an unusual order",
                     master.fqn),
        file.name);
}

Result<bool> MasterCopies::same(const TorchDistTensor& a, const TorchDistTensor& b, std::uint64_t elements) const {
    const std::uint64_t all = *checked_elements(a.shape), count = std::min(all, elements);
    TRY_ASSIGN(const bool begins, same_run(a, b, 0, count));
    if (!begins) return false;
    return same_run(a, b, std::max(count, all - count), all);
}

Result<bool> MasterCopies::same_run(const TorchDistTensor& a, const TorchDistTensor& b, std::uint64_t begin,
                                    std::uint64_t end) const {
    for (std::uint64_t at = begin; at < end; at += kElementsAtOnce) {
        TRY_ASSIGN(const auto mine, read(a, at, std::min(end, at + kElementsAtOnce)));
        TRY_ASSIGN(const auto its, read(b, at, std::min(end, at + kElementsAtOnce)));
        if (mine != its) return false;
    }
    return true;
}

Result<std::vector<std::byte>> MasterCopies::read(const TorchDistTensor& tensor, std::uint64_t begin,
                                                  std::uint64_t end) const {
    const std::uint64_t size = bits(tensor.dtype) / 8;
    std::vector<std::byte> out((end - begin) * size);
    auto read_run = [&](const FlatRun& run, std::uint64_t number) -> Status {
        TRY_ASSIGN(const auto file, fs_.open(files_.path(files_.name(run.file))));
        return file->read_at(run.offset, std::span(out).subspan((number - begin) * size, run.elements * size));
    };
    if (tensor.flat.vector) TRY(each_run(tensor.flat, *checked_elements(tensor.shape), begin, end, read_run));
    else TRY(read_run({tensor.chunks[0].file, tensor.chunks[0].file_offset + begin * size, end - begin}, begin));
    return out;
}

}  // namespace ckpt
