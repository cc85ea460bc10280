#include "ckpt_convert/execute/engine_state.h"

namespace ckpt {

using pickle::Value;

void set_engine_state(TorchFilePlan& file, Value* root, const NamedTraining& training, std::uint32_t ranks) {
    auto set = [&](const char* key, Value* value) { TorchFilePlan::set(root, file.string(key), value); };
    set("lr_scheduler", file.none());
    set("skipped_steps", file.integer(0));
    set("global_steps", file.integer(static_cast<std::int64_t>(training.step)));
    set("dp_world_size", file.integer(ranks));
    set("mp_world_size", file.integer(1));
    set("ds_version", file.string(kDeepSpeedVersion));
}

}  // namespace ckpt
