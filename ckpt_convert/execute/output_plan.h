// OutputPlan: the files of a conversion's output, with the place of every tensor, before anything is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/formats/zip/zip_layout.h"
#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

struct OutputFile {
    std::string path;  // relative to the output directory
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t>
        targets;  // ConversionPlan::targets, behind these OutputPlan::shares; in the order of the file
    std::vector<std::uint64_t> offsets;  // of each target's payload
    // Everything but the payloads, given the CRC-32 of each.
    std::function<std::vector<FileChunk>(const std::vector<std::uint32_t>& crc32)> chunks;
};

struct OutputPlan {
    std::vector<OutputFile> files;  // all of the conversion, or those of a shard
    // What files have of the vectors that targets lie in, see TargetTensor::flat.
    std::vector<TargetTensor> shares = {};

    std::uint64_t total_bytes() const;
    // A tensor of a file by its number.
    const TargetTensor& tensor(const ConversionPlan& plan, std::uint32_t number) const {
        return number < plan.targets.size() ? plan.targets[number] : shares[number - plan.targets.size()];
    }
};

}  // namespace ckpt
