#include "ckpt_convert/target/megatron_files.h"

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/target/hf_config.h"
#include "ckpt_convert/target/training_args.h"

namespace ckpt {

Status add_tracker_and_config(base::FileSystem& fs, const Source& source, const ConvertOptions& options,
                              const MegatronTarget& target, PlannedOutput& out) {
    out.texts.push_back({kTrackerFile, target.iteration});
    if (source.config) {
        TRY_ASSIGN(std::string config, adapted_config(fs, source, options));
        out.texts.push_back({base::join(kHfConfigDir, "config.json"), std::move(config)});
    }
    out.last = {target.directory, kTrackerFile};
    return {};
}

Status add_training_files(base::FileSystem& fs, const base::DataStore& store, const Source& source,
                          const ConvertOptions& options, const MegatronTarget& target,
                          const std::vector<std::string>& flags, PlannedOutput& out) {
    TRY_ASSIGN(std::string script, training_args(store, flags, out.title));
    out.texts.push_back({kTrainingArgsFile, std::move(script)});
    out.companions_from = source.companions;
    out.companions_to = kHfConfigDir;
    return add_tracker_and_config(fs, source, options, target, out);
}

}  // namespace ckpt
