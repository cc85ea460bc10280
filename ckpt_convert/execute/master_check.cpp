#include "ckpt_convert/execute/master_check.h"

#include <algorithm>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kSampledElements = 64;

Status compare(const TensorIndex& weights, const IndexedTensor& weight, const TensorIndex& states,
               const IndexedTensor& master, std::uint64_t first, std::uint64_t count) {
    std::uint64_t weight_bytes = bits(weight.dtype) / 8, master_bytes = bits(master.dtype) / 8;
    std::vector<std::byte> stored(count * weight_bytes), full(count * master_bytes), rounded(count * weight_bytes);
    TRY(weights.files[weight.file]->read_at(weight.offset + first * weight_bytes, stored));
    TRY(states.files[master.file]->read_at(master.offset + first * master_bytes, full));
    cast(rounded.data(), weight.dtype, full.data(), master.dtype, count);
    if (rounded == stored) return {};
    return base::fail(ErrorKind::bad_input,
                      base::format("it does not belong to the weights: its copy of {} in full precision has other "
                                   "values. The two files are of different iterations, or the run keeps its parameters "
                                   "in an unusual order; --optimizer drop converts the weights alone",
                                   weight.name),
                      states.files[master.file]->path());
}

}  // namespace

Status check_master_weights(const TensorIndex& weights, const StateSource& states, int threads) {
    return base::parallel_for(states.of_weight.size(), threads, [&](std::size_t i) -> Status {
        const IndexedTensor& weight = weights.tensors[i];
        if (!states.of_weight[i] || !weight.contiguous || !can_cast(DType::f32, weight.dtype)) return {};
        const IndexedTensor& master = states.index.tensors[states.of_weight[i]->front()];
        std::uint64_t elements = checked_elements(weight.shape).value_or(0);
        std::uint64_t count = std::min(elements, kSampledElements);
        TRY(compare(weights, weight, states.index, master, 0, count));
        return compare(weights, weight, states.index, master, elements - count, count);
    });
}

}  // namespace ckpt
