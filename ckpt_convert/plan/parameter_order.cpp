#include "ckpt_convert/plan/parameter_order.h"

#include <algorithm>
#include <utility>

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

namespace ckpt {
namespace {

std::uint64_t number_in(const Json& args, std::string_view name) {
    const Json* found = args.find(name);
    const std::int64_t* number = found == nullptr ? nullptr : found->integer();
    return number == nullptr || *number < 0 ? 0 : static_cast<std::uint64_t>(*number);
}

// As Megatron's DistributedDataParallel chooses it: only the first chunk of the first stage has buckets.
std::optional<std::uint64_t> bucket_elements(const Json& args, std::uint32_t stage, std::size_t chunk) {
    const Json* overlap = args.find("overlap_grad_reduce");
    bool overlaps = overlap != nullptr && overlap->boolean() != nullptr && *overlap->boolean();
    if (!overlaps || stage > 0 || chunk > 0) return std::nullopt;
    if (std::uint64_t given = number_in(args, "ddp_bucket_size"); given > 0) return given;
    constexpr std::uint64_t kLeast = 40'000'000, kPerCopy = 1'000'000;
    return std::max(kLeast, kPerCopy * number_in(args, "data_parallel_size"));
}

}  // namespace

bool StoredParameter::decays() const { return shape.size() != 1 && !name.ends_with(".bias"); }

RankParameters split_parameters(std::vector<StoredParameter> parameters, std::uint32_t chunks, bool virtual_stages,
                                bool own_experts) {
    RankParameters out{ChunkParameters(chunks), ChunkParameters(chunks)};
    for (StoredParameter& parameter : parameters) {
        std::uint32_t chunk = 0;
        while (chunk + 1 < chunks && split_key(parameter.name).chunk != chunk_key(virtual_stages, chunk)) ++chunk;
        auto& optimizer = own_experts && parameter.of_experts ? out.experts : out.dense;
        optimizer[chunk].push_back(std::move(parameter));
    }
    return out;
}

std::vector<FlatBufferLayout> rank_buffers(const ChunkParameters& chunks, std::uint32_t stage, const Json& args) {
    std::vector<FlatBufferLayout> out;
    for (std::size_t chunk = 0; chunk < chunks.size(); ++chunk) {
        std::vector<FlatParameter> parameters;
        for (const StoredParameter& stored : chunks[chunk])
            parameters.push_back({stored.tensor, stored.dtype, checked_elements(stored.shape).value_or(0)});
        for (FlatBufferLayout& buffer : flat_buffers(parameters, bucket_elements(args, stage, chunk)))
            out.push_back(std::move(buffer));
    }
    return out;
}

}  // namespace ckpt
