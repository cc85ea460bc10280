#include "ckpt_convert/checkpoint/flat_runs.h"

#include <algorithm>
#include <memory>

#include "base/checked_math.h"
#include "base/format.h"

namespace ckpt {
namespace {

// What the vector of a group is filled up to a multiple of, for each rank: nccl_start_alignment_factor of DeepSpeed's
// stage_1_and_2.py.
constexpr std::uint64_t kRowAlignment = 2;

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

tl::unexpected<base::Error> do_not_fit(std::uint64_t wanted, std::uint64_t found) {
    return base::fail(
        ErrorKind::bad_input,
        base::format("the parameters have {} elements, the ranks together {}; are files of other runs mixed?", wanted,
                     found));
}

// All parts are equal, but that the last ones are without what fills up the vector.
Status check_row(std::uint64_t wanted, const std::vector<FlatShare>& shares) {
    std::uint64_t found = 0;
    bool fits = true;
    for (const FlatShare& share : shares) {
        const bool is_short = share.elements < shares[0].elements && found + share.elements < wanted;
        fits &= share.elements <= shares[0].elements && !is_short;
        found += share.elements;
    }
    const std::uint64_t multiple = kRowAlignment * shares.size();
    if (fits && found >= wanted && rounded_up(found, multiple) == rounded_up(wanted, multiple)) return {};
    return do_not_fit(wanted, found);
}

Status check_shares(std::uint64_t wanted, const std::vector<FlatShare>& shares) {
    for (const FlatShare& share : shares) {
        if (share.elements != wanted) return do_not_fit(wanted * shares.size(), share.elements * shares.size());
    }
    return {};
}

}  // namespace

Result<std::vector<TorchDistTensor>> parameters_in(FlatVector::Rule rule, const NamedShapes& parameters,
                                                   std::vector<FlatShare> shares) {
    if (shares.empty()) return do_not_fit(0, 0);
    const auto vector = std::make_shared<const FlatVector>(rule, DType::f32, std::move(shares));
    std::vector<TorchDistTensor> out;
    std::uint64_t at = 0;
    for (const auto& [name, shape] : parameters) {
        TorchDistTensor& tensor = out.emplace_back(TorchDistTensor{name, DType::f32, shape, {}});
        tensor.flat = {vector, at};
        const std::uint64_t elements = *checked_elements(shape);
        const auto end = base::checked_add(at, rule == FlatVector::Rule::row ? elements : vector->share_of(elements));
        if (!end) return base::fail(ErrorKind::bad_input, "the parameters have more elements than can be");
        at = *end;
    }
    TRY(rule == FlatVector::Rule::row ? check_row(at, vector->shares()) : check_shares(at, vector->shares()));
    return out;
}

Result<SharedPlace> place_alone(const Shape& shape, DType dtype, std::vector<FlatShare> shares) {
    auto vector = std::make_shared<const FlatVector>(FlatVector::Rule::shares, dtype, std::move(shares));
    std::uint64_t left = *checked_elements(shape);
    const std::uint64_t part = vector->share_of(left);
    for (const FlatShare& share : vector->shares()) {
        const std::uint64_t wanted = std::min(part, left);
        if (share.elements < wanted) return do_not_fit(wanted, share.elements);
        left -= wanted;
    }
    return SharedPlace{std::move(vector), 0};
}

}  // namespace ckpt
