// DistributeFacts: what is known of loaders, samplers and wrappers: rules/distribute/distribute.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace migrator {

struct DistributeFacts {
    std::vector<std::string> loaders;            // qualified names
    std::vector<std::string> loader_parameters;  // of a loader, in order
    std::string sampler;                         // qualified
    std::vector<std::string> iterable_datasets;  // classes that no sampler can divide
    std::vector<std::string> already_distributed;
    std::vector<std::string> data_parallel;        // wrappers for several devices in one process
    std::vector<std::string> parameter_members;    // methods of a module that give what an optimizer trains
    std::string wrapper;                           // qualified
    std::vector<std::string> wrapped_members;      // that a wrapped model offers as the model does
    std::vector<std::string> placing_members;      // that must have happened before a model is wrapped
    std::vector<std::string> one_process;          // functions whose effect is wanted once
    std::vector<std::string> one_process_members;  // the same: methods of any object
    std::vector<std::string> every_process;        // what writes as well, and cannot be left out in the others
    std::vector<std::string> opens_files;          // functions with `file` and `mode`, which can open os.devnull
    std::string device;                            // "cuda"
    std::vector<std::string> device_members;       // methods that take the index of a device, and none
    std::string current_device;                    // an expression: the index of the device of this process
    std::vector<std::string> index_functions;      // functions that take the index of a device
    std::vector<std::string> index_members;        // the same: methods of any object
    std::vector<std::string> device_selectors;     // environment variables that leave out devices

    static base::Result<DistributeFacts> load(const base::DataStore& store);
};

}  // namespace migrator
