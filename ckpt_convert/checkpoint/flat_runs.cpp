#include "ckpt_convert/checkpoint/flat_runs.h"

#include <algorithm>

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/tensor/range_boxes.h"

namespace ckpt {
namespace {

// What the vector of a group is filled up to a multiple of, for each rank: nccl_start_alignment_factor of DeepSpeed's
// stage_1_and_2.py.
constexpr std::uint64_t kRowAlignment = 2;

// Adds the elements from `begin` to `end` of the tensor, which lie from element `at` of the share on.
void add_run(TorchDistTensor& tensor, std::uint64_t begin, std::uint64_t end, const FlatShare& share,
             std::uint64_t at) {
    for (RangeBox& box : boxes_of_range(tensor.shape, begin, end)) {
        TorchDistChunk chunk{std::move(box.offsets), std::move(box.sizes), share.file, 0, {}, share.stride == 1};
        chunk.file_offset = share.offset + (at + box.first - begin) * share.stride * (bits(tensor.dtype) / 8);
        for (std::uint64_t stride : row_major_strides(chunk.sizes)) chunk.strides.push_back(stride * share.stride);
        tensor.chunks.push_back(std::move(chunk));
    }
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

tl::unexpected<base::Error> do_not_fit(std::uint64_t wanted, std::uint64_t found) {
    return base::fail(
        ErrorKind::bad_input,
        base::format("the parameters have {} elements, the ranks together {}; are files of other runs mixed?", wanted,
                     found));
}

}  // namespace

void add_share(TorchDistTensor& tensor, std::uint64_t rank, std::uint64_t ranks, const FlatShare& share,
               std::uint64_t at) {
    const std::uint64_t elements = *checked_elements(tensor.shape), part = (elements + ranks - 1) / ranks;
    const std::uint64_t begin = std::min(rank * part, elements), end = std::min(begin + part, elements);
    if (share.elements < at || share.elements - at < end - begin) return;
    add_run(tensor, begin, end, share, at);
}

bool is_complete(const TorchDistTensor& tensor) {
    std::uint64_t elements = 0;
    for (const TorchDistChunk& chunk : tensor.chunks) elements += *checked_elements(chunk.sizes);
    return elements == *checked_elements(tensor.shape);
}

Result<std::vector<TorchDistTensor>> parameters_in_row(const NamedShapes& parameters,
                                                       const std::vector<FlatShare>& shares) {
    std::uint64_t wanted = 0, found = 0;
    for (const auto& [name, shape] : parameters) {
        const auto sum = base::checked_add(wanted, *checked_elements(shape));
        if (!sum) return base::fail(ErrorKind::bad_input, "the parameters have more elements than can be");
        wanted = *sum;
    }
    bool fits = true;
    for (const FlatShare& share : shares) {
        // All parts are equal, and the last ones are without what fills up the vector.
        const bool is_short = share.elements < shares[0].elements && found + share.elements < wanted;
        fits &= share.elements <= shares[0].elements && !is_short;
        found += share.elements;
    }
    const std::uint64_t multiple = kRowAlignment * std::max<std::uint64_t>(shares.size(), 1);
    if (!fits || found < wanted || rounded_up(found, multiple) != rounded_up(wanted, multiple))
        return do_not_fit(wanted, found);
    std::vector<TorchDistTensor> out;
    std::size_t rank = 0;
    std::uint64_t at = 0;  // in the share of the rank
    for (const auto& [name, shape] : parameters) {
        TorchDistTensor tensor{name, DType::f32, shape, {}};
        const std::uint64_t elements = *checked_elements(shape);
        for (std::uint64_t done = 0; done < elements;) {
            while (at == shares[rank].elements) ++rank, at = 0;
            const std::uint64_t count = std::min(elements - done, shares[rank].elements - at);
            add_run(tensor, done, done + count, shares[rank], at);
            done += count, at += count;
        }
        out.push_back(std::move(tensor));
    }
    return out;
}

Result<std::vector<TorchDistTensor>> parameters_in_shares(const NamedShapes& parameters,
                                                          const std::vector<FlatShare>& shares) {
    std::vector<TorchDistTensor> out;
    std::uint64_t at = 0;
    for (const auto& [name, shape] : parameters) {
        TorchDistTensor tensor{name, DType::f32, shape, {}};
        for (std::size_t rank = 0; rank < shares.size(); ++rank)
            add_share(tensor, rank, shares.size(), shares[rank], at);
        at += (*checked_elements(shape) + shares.size() - 1) / shares.size();
        if (!is_complete(tensor)) return do_not_fit(at * shares.size(), shares[0].elements * shares.size());
        out.push_back(std::move(tensor));
    }
    for (const FlatShare& share : shares) {
        if (share.elements != at) return do_not_fit(at * shares.size(), share.elements * shares.size());
    }
    return out;
}

}  // namespace ckpt
