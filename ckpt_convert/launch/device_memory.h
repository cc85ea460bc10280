// DeviceMemory: whether a training fits a device, by the estimate of a plan, and what would make it fit.
#pragma once

#include <optional>

#include "base/data_store.h"
#include "ckpt_convert/job/choices.h"
#include "ckpt_convert/job/hardware.h"
#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/mapping/model_values.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// What the fullest stage needs beyond what its devices have, in bytes.
struct Shortage {
    std::size_t stage = 0;
    double needed = 0, usable = 0;
    const Choice* remedy = nullptr;  // the first one with which it fits; nullptr: none alone
};

class DeviceMemory {
public:
    // `model`: with its config. Fails with bad_input where a size that is needed has no value.
    static Result<DeviceMemory> make(const base::DataStore& store, const Source& model, const Device& device,
                                     const ReserveRules& reserve, Choices choices);

    // nullopt: it fits, or the layout or the device is one that nothing can be said of.
    // `buffer_mib`: of a communicator's buffers; nullopt: as they are where nothing is set.
    std::optional<Shortage> shortage(const TrainingJob& job, std::optional<std::int64_t> buffer_mib) const;
    // Of a job that does not fit: a smaller size of those buffers with which it fits, and which is no smaller than the
    // largest message by the job's numbers; nullopt: there is none, or not all messages are known.
    std::optional<std::int64_t> smaller_buffer(const TrainingJob& job, std::optional<std::int64_t> buffer_mib,
                                               const ModelValues& numbers) const;
    const std::string& buffer_variable() const { return reserve_.buffer_variable; }
    const Choices& choices() const { return choices_; }

private:
    Choices choices_;
    ModelShape shape_;
    Device device_;
    ReserveRules reserve_;
};

}  // namespace ckpt
