// The files of a checkpoint of torch.distributed.checkpoint as programs with fully_shard load it, laid out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {

// What is saved of an optimizer besides the moments, which are targets of the plan named "MOMENT/WEIGHT".
struct DcpTraining {
    struct Group {
        std::vector<std::pair<std::string, pickle::Ref>> values;  // lr, betas, ...
        std::vector<std::string> names;                           // of weights
    };
    std::vector<Group> groups;
    bool by_name = false;  // settings are saved for each weight rather than for each group
    float step = 0;
    std::vector<std::shared_ptr<const TorchFile>> owners;  // of the values
};

// One chunk for each tensor: whoever loads such a checkpoint cuts the tensors for its own ranks. `key`: under which the weights
// are saved ("model"); empty: under none. `max_file_bytes`: of one .distcp file. Settings that are neither numbers nor texts
// are `unsupported`.
Result<OutputPlan> dcp_output(const ConversionPlan& plan, const std::string& key, std::uint64_t max_file_bytes,
                              const DcpTraining* training = nullptr);

}  // namespace ckpt
