#include "ckpt_convert/checkpoint/model_ranks.h"

#include "base/format.h"

namespace ckpt {
namespace {

std::optional<std::uint64_t> count_in(pickle::Ref mapping, std::string_view key) {
    const pickle::Ref value = mapping == nullptr ? nullptr : pickle::find(mapping, key);
    const auto* number = value == nullptr ? nullptr : value->as<std::int64_t>();
    return number != nullptr && *number > 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

Status check_count(const ZeroFiles& files, const OpenedFile& model, std::uint64_t found) {
    const std::uint64_t told = count_in(model.content->root(), "mp_world_size").value_or(found);
    if (told == found) return {};
    return files.bad(told > found
                         ? base::format("it is of a run whose model {} ranks share, and there are files of {}; is "
                                        "the copy complete?",
                                        told, found)
                         : base::format("it is of a run whose model {} ranks share, and there are files of {}; are "
                                        "files of two runs mixed?",
                                        told, found),
                     model.name);
}

}  // namespace

Result<ModelRanks> model_ranks(const ZeroFiles& files, const std::vector<OpenedFile>& models, std::uint64_t tensor) {
    const OpenedFile& first = models.front();
    const auto steps = count_in(first.content->root(), "global_steps");
    for (const OpenedFile& model : models) {
        TRY(check_count(files, model, models.size()));
        const auto its = count_in(model.content->root(), "global_steps");
        if (its != steps)
            return files.bad(base::format("it is of step {}, and {} of step {}; are files of two saves mixed?",
                                          its.value_or(0), first.name, steps.value_or(0)),
                             model.name);
    }
    ModelRanks out;
    const pickle::Ref dimensions = pickle::find(first.content->root(), "checkpoint_parallel_dimensions");
    out.tensor = count_in(dimensions, "tp_degree").value_or(tensor);
    out.stages = models.size() / out.tensor;
    if (out.stages * out.tensor == models.size()) return out;
    return files.bad(
        base::format("{} tensor parallel ranks cannot be all of {} ranks that share the model; are files of "
                     "two runs mixed?",
                     out.tensor, models.size()),
        first.name);
}

}  // namespace ckpt
