// LaunchRequest: what a user says of the job that scripts are for.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

struct LaunchRequest {
    Path model;          // a directory with config.json, or a Megatron checkpoint
    std::string target;  // a name of rules/launch/launch.json; empty: the first
    Topology topology;   // of a checkpoint that is to be made
    bool topology_given = false;
    VocabOptions vocab;         // of a checkpoint that is to be made
    SourceOptions source;       // what else is said of the model
    std::int64_t devices = 8;   // over all machines
    std::int64_t per_node = 0;  // 0: as the device has, or 8
    std::int64_t cp = 1;
    std::int64_t sequence = 0;  // 0: 4096, or what the model has positions for
    std::int64_t micro_batch = 1;
    std::int64_t global_batch = 0;  // 0: so many micro batches that the pipeline is busy
    std::string choices;            // words of --with, see choices.h
    std::string machine;            // a device of rules/planner/hardware.json; empty: unknown
};

// What a script that is there is compared with.
struct CheckRequest {
    Path script;
    Path model;           // a directory with config.json; empty: that of the checkpoint, or none
    Path checkpoint;      // a Megatron checkpoint; empty: the one that the script loads, where it is there
    std::string machine;  // a device of rules/planner/hardware.json; empty: unknown
    std::string target;   // empty: found from the script
    bool fix = false;
};

}  // namespace ckpt
