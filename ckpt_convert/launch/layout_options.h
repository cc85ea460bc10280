// The layout of a Megatron checkpoint as options: of one that is there, and for the command that makes one.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/launch/launch_facts.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// What a user would have asked for to get this layout. Fails with unsupported where no options say it.
Result<Topology> topology_of(const ParallelLayout& parallel);

// The options of ckpt_convert that say a layout, each with its values, as a shell takes them.
std::vector<std::string> topology_options(const Topology& topology);

// Those that say how the vocabulary is filled up; none where nobody said it.
std::vector<std::string> vocabulary_options(const VocabOptions& vocab);

// Those that make a checkpoint of the layout for a target. `numbers`: the job's.
std::vector<std::string> conversion_options(const ConvertOptions& conversion, const LaunchTarget& target,
                                            const ModelValues& numbers);

}  // namespace ckpt
