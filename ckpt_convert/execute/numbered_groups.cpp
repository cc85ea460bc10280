#include "ckpt_convert/execute/numbered_groups.h"

#include "base/format.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {

Result<pickle::Value*> numbered_groups(TorchFilePlan& file, const NamedTraining& training,
                                       const std::vector<std::vector<std::size_t>>& numbers) {
    pickle::Value* out = file.list();
    for (std::size_t group = 0; group < training.groups.size(); ++group) {
        pickle::Value* values = file.dict();
        for (const auto& [key, value] : training.groups[group].values) {
            TRY(require_plain(value, base::format("the setting {}", key)));
            TorchFilePlan::set(values, file.string(key), file.arena().make(value->variant));
        }
        pickle::Value* parameters = file.list();
        for (const std::size_t number : numbers[group])
            parameters->as<pickle::List>()->items.push_back(file.integer(static_cast<std::int64_t>(number)));
        TorchFilePlan::set(values, file.string("params"), parameters);
        out->as<pickle::List>()->items.push_back(values);
    }
    return out;
}

}  // namespace ckpt
