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
    std::string wrapper;                       // qualified
    std::vector<std::string> wrapped_members;  // that a wrapped model offers as the model does
    std::vector<std::string> placing_members;  // that must have happened before a model is wrapped
    std::vector<std::string> one_process;      // functions whose effect is wanted once
    std::string device;                        // "cuda"
    std::vector<std::string> device_members;   // methods that take the index of a device

    static base::Result<DistributeFacts> load(const base::DataStore& store);
};

}  // namespace migrator
