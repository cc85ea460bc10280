// DistributeFacts: what is known of loaders, samplers and wrappers: rules/distribute/distribute.json.
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

// What makes batches of a data set, and which of its parameters a sampler takes over.
struct LoaderFacts {
    std::vector<std::string> names;
    std::vector<std::string> parameters;
    std::string dataset;
    std::string shuffle;
    std::string drop_last;
    std::string order;
    std::vector<std::string> divides;
    std::string sampler;
    std::string set_epoch;
    std::string epoch;
};
constexpr auto record_of(const LoaderFacts*) {
    using F = LoaderFacts;
    return base::record(
        "loader", "what makes batches of a data set", base::field("names", &F::names, "qualified").needed(),
        base::field("parameters", &F::parameters, "in their order").needed(),
        base::field("dataset", &F::dataset, "the parameter with the data set").always(),
        base::field("shuffle", &F::shuffle,
                    "the parameter that asks for a random order; the sampler's has the same name")
            .always(),
        base::field("drop_last", &F::drop_last, "the parameter that leaves out the rest; the same").always(),
        base::field("order", &F::order, "the parameter that decides on the order, and does not with a sampler")
            .always(),
        base::field("divides", &F::divides, "parameters with which a script divides the data set by itself").needed(),
        base::field("sampler", &F::sampler, "the class that divides a data set between processes").always(),
        base::field("set_epoch", &F::set_epoch, "member of a loader: the method that is given the number of the epoch")
            .always(),
        base::field("epoch", &F::epoch, "member of a loader: that number").always());
}

struct DistributeFacts : base::RuleFileHead {
    LoaderFacts loader;
    std::vector<std::string> iterable_datasets;
    std::vector<std::string> already_distributed;
    std::vector<std::string> data_parallel;
    std::vector<std::string> parameter_members;
    std::string wrapper;
    std::vector<std::string> wrapped_members;
    std::vector<std::string> placing_members;
    std::vector<std::string> one_process;
    std::vector<std::string> one_process_members;
    std::vector<std::string> every_process;
    std::vector<std::string> opens_files;
    std::string device;
    std::vector<std::string> device_members;
    std::string current_device;
    std::vector<std::string> index_functions;
    std::vector<std::string> index_members;
    std::vector<std::string> device_selectors;

    static base::Result<DistributeFacts> load(const base::DataStore& store);
};
constexpr auto record_of(const DistributeFacts*) {
    using F = DistributeFacts;
    return base::extended(
        record_of(static_cast<const base::RuleFileHead*>(nullptr)), "distribute", "what `--distributed` must know",
        base::field("loader", &F::loader, "what makes batches").always(),
        base::field("iterable_datasets", &F::iterable_datasets, "classes that no sampler can divide").needed(),
        base::field("already_distributed", &F::already_distributed,
                    "names whose use says that the script is distributed already")
            .needed(),
        base::field("data_parallel", &F::data_parallel, "wrappers for several devices in one process").needed(),
        base::field("parameter_members", &F::parameter_members,
                    "methods of a module that give what an optimizer trains")
            .needed(),
        base::field("wrapper", &F::wrapper, "the class that a trained model goes through").always(),
        base::field("wrapped_members", &F::wrapped_members, "members that a wrapped model offers as the model does")
            .needed(),
        base::field("placing_members", &F::placing_members,
                    "members that must have been called before a model is wrapped")
            .needed(),
        base::field("one_process", &F::one_process, "functions whose effect is wanted once").needed(),
        base::field("one_process_members", &F::one_process_members, "the same: methods of any object").needed(),
        base::field("every_process", &F::every_process,
                    "what writes as well, and cannot be left out in the other processes")
            .needed(),
        base::field("opens_files", &F::opens_files, "functions with `file` and `mode`, which can open os.devnull")
            .needed(),
        base::field("device", &F::device, "the name of the device").always(),
        base::field("device_members", &F::device_members, "methods that take the index of a device, and none").needed(),
        base::field("current_device", &F::current_device, "an expression: the index of the device of this process")
            .always(),
        base::field("index_functions", &F::index_functions, "functions that take the index of a device").needed(),
        base::field("index_members", &F::index_members, "the same: methods of any object").needed(),
        base::field("device_selectors", &F::device_selectors, "environment variables that leave out devices").needed());
}

}  // namespace migrator
