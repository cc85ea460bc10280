#include "ckpt_convert/execute/safetensors_file.h"

#include <algorithm>
#include <bit>

#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {
namespace {

std::string bytes_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::string out;
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(bits >> shift & 0xff);
    return out;
}

}  // namespace

Result<OutputFile> safetensors_file(const ConversionPlan& plan, std::vector<std::uint32_t> targets, std::string path,
                                    const std::vector<FileNumber>& numbers) {
    auto bits_of = [&](std::uint32_t target) { return bits(plan.targets[target].dtype); };
    std::stable_sort(targets.begin(), targets.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return bits_of(a) > bits_of(b); });
    const auto narrow = static_cast<std::size_t>(
        std::find_if(targets.begin(), targets.end(), [&](std::uint32_t a) { return bits_of(a) < bits(DType::f32); }) -
        targets.begin());
    std::vector<SafetensorsTensor> tensors;
    for (std::uint32_t target : targets)
        tensors.push_back(
            {plan.targets[target].name, plan.targets[target].dtype, plan.targets[target].shape_in_file()});
    std::vector<SafetensorsTensor> extra;
    for (const FileNumber& number : numbers) extra.push_back({number.name, DType::f32, {}});
    const auto between = static_cast<std::ptrdiff_t>(narrow);
    tensors.insert(tensors.begin() + between, extra.begin(), extra.end());
    TRY_ASSIGN(SafetensorsLayout layout, plan_safetensors(tensors, {{"format", "pt"}}));

    OutputFile file;
    file.path = std::move(path);
    file.bytes = layout.file_bytes;
    file.targets = std::move(targets);
    std::vector<FileChunk> chunks = {{0, std::move(layout.header)}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        chunks.push_back({layout.offsets[narrow + i], bytes_of(numbers[i].value)});
    const auto first = layout.offsets.begin() + between;
    layout.offsets.erase(first, first + static_cast<std::ptrdiff_t>(numbers.size()));
    file.offsets = std::move(layout.offsets);
    file.chunks = [chunks = std::move(chunks)](const std::vector<std::uint32_t>&) { return chunks; };
    return file;
}

std::vector<std::vector<std::uint32_t>> split_by_bytes(const ConversionPlan& plan,
                                                       const std::vector<std::uint32_t>& targets, std::uint64_t bytes) {
    std::vector<std::vector<std::uint32_t>> parts(1);
    std::uint64_t filled = 0;
    for (std::uint32_t target : targets) {
        const std::uint64_t size = *checked_bytes(plan.targets[target].shape, plan.targets[target].dtype);
        if (filled > 0 && filled + size > bytes) {
            parts.emplace_back();
            filled = 0;
        }
        parts.back().push_back(target);
        filled += size;
    }
    return parts;
}

}  // namespace ckpt
