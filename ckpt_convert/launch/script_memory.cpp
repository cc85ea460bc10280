#include <algorithm>

#include "base/format.h"
#include "base/number_text.h"
#include "base/text.h"
#include "ckpt_convert/job/choice_flags.h"
#include "ckpt_convert/launch/device_memory.h"
#include "ckpt_convert/launch/launch_choices.h"
#include "ckpt_convert/launch/script_checks.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

using Names = std::vector<std::string_view>;

const Names& needed_of(Engine engine) {
    static const Names megatron{"world", "nproc", "tp", "pp", "cp", "mbs", "gbs", "seq", "trains"};
    static const Names sharded{"fsdp_size", "fsdp_seq"};
    return engine == Engine::fsdp2 ? sharded : megatron;
}

// Whether the script has all that a choice is on the command line. `number`: the one that it says.
bool is_chosen(const ScriptJob& job, const std::vector<ChoiceFlag>& flags, std::int64_t& number) {
    for (const ChoiceFlag& flag : flags) {
        const ScriptOption* option = job.option(flag.name);
        if (option == nullptr && flag.is_of_number) continue;
        if ((option == nullptr) != flag.is_without) return false;
        for (const std::string& value : flag.values) {
            if (option->values.empty()) return false;
            const auto given = number_in(option->values.front().text);
            if (value == kNumberOfChoice && given) number = static_cast<std::int64_t>(*given);
            const bool is_it = std::any_of(option->values.begin(), option->values.end(), [&](const ScriptWord& word) {
                return word.text == value || (value == "true" && truth_in(word.text).value_or(false));
            });
            if (value == kNumberOfChoice ? !given : !is_it) return false;
        }
    }
    return !flags.empty();
}

TrainingMode mode_of(const ScriptJob& job) {
    if (job.has("--lora-r")) return TrainingMode::lora;
    if (job.numbers.at("is_dpo") != 0) return TrainingMode::dpo;
    return job.numbers.at("is_sft") != 0 ? TrainingMode::sft : TrainingMode::pretrain;
}

// 0: the script does not say it.
int number_of(const ScriptJob& job, const char* name) {
    const auto found = job.numbers.find(name);
    return found == job.numbers.end() ? 0 : static_cast<int>(found->second);
}

void add_sharded(const ScriptJob& job, TrainingJob& out) {
    out.ranks.devices = number_of(job, "fsdp_size");
    out.ranks.per_node = std::max({1, number_of(job, "nproc"), number_of(job, "machine")});
    out.ranks.cp = std::max(1, number_of(job, "fsdp_cp"));
    out.ranks.experts.ep = std::max(1, number_of(job, "fsdp_ep"));
    out.sharded.expert_shards = number_of(job, "fsdp_ep_fsdp");
    out.batch = {std::max(1, number_of(job, "fsdp_mbs")), 0, number_of(job, "fsdp_seq")};
}

Status add_stages(const ScriptJob& job, Topology& out) {
    for (const auto& [option, layers] :
         {std::pair("--noop-layers", &out.noop_layers), std::pair("--num-layer-list", &out.layers_per_stage)}) {
        const ScriptWord* list = job.value(option);
        if (list == nullptr) continue;
        TRY_ASSIGN(*layers, number_list(option, list->text));
    }
    for (const auto& [option, layers] : {std::pair("--decoder-first-pipeline-num-layers", &out.first_stage_layers),
                                         std::pair("--decoder-last-pipeline-num-layers", &out.last_stage_layers)}) {
        const ScriptWord* word = job.value(option);
        if (const auto given = word != nullptr ? number_in(word->text) : std::nullopt)
            *layers = static_cast<std::uint32_t>(*given);
    }
    out.layers_per_virtual_stage = static_cast<std::uint32_t>(number_of(job, "vpp_layers"));
    out.count_embedding = job.has("--account-for-embedding-in-pipeline-split");
    out.count_loss = job.has("--account-for-loss-in-pipeline-split");
    if (const ScriptWord* layout = job.value("--pipeline-model-parallel-layout")) out.pipeline_layout = layout->text;
    const ScriptWord* chunks = job.value("--num-virtual-stages-per-pipeline-rank");
    if (const auto given = chunks != nullptr ? number_in(chunks->text) : std::nullopt)
        out.virtual_stages = static_cast<std::uint32_t>(*given);
    const ScriptWord* schedule = job.value("--schedules-method");
    out.dualpipev = schedule != nullptr && schedule->text == "dualpipev";
    return {};
}

Status add_megatron(const ScriptJob& job, TrainingJob& out) {
    out.precision = job.has("--fp16") ? Precision::fp16 : job.has("--bf16") ? Precision::bf16 : Precision::fp32;
    out.ranks.devices = number_of(job, "world");
    out.ranks.per_node = number_of(job, "nproc");
    out.ranks.tp = number_of(job, "tp");
    out.ranks.pp = number_of(job, "pp");
    out.ranks.cp = number_of(job, "cp");
    out.ranks.experts.ep = std::max(1, number_of(job, "ep"));
    out.ranks.experts.etp = number_of(job, "etp");
    out.ranks.experts.tp_extends_ep = job.has("--moe-tp-extend-ep");
    out.ranks.sequence_parallel = job.has("--sequence-parallel");
    out.batch = {number_of(job, "mbs"), number_of(job, "gbs"), number_of(job, "seq")};
    return add_stages(job, out.ranks);
}

Result<TrainingJob> training_of(const ScriptJob& job, Engine engine, const Choices& choices) {
    TrainingJob out;
    out.engine = engine;
    out.mode = mode_of(job);
    if (engine == Engine::fsdp2) add_sharded(job, out);
    else TRY(add_megatron(job, out));
    for (const Choice& choice : choices.choices) {
        std::int64_t number = 0;
        if (is_chosen(job, flags_of(choice, engine), number)) apply_choice(choice, number, out);
    }
    return out;
}

}  // namespace

Status check_memory(const DeviceMemory& memory, const ScriptJob& job, std::vector<ScriptFinding>& findings) {
    const Engine engine = engine_of(*job.target);
    const Names& needed = needed_of(engine);
    const bool is_whole = std::all_of(needed.begin(), needed.end(), [&](std::string_view name) {
        const auto found = job.numbers.find(std::string(name));
        return found != job.numbers.end() && found->second > 0;
    });
    if (!is_whole) return {};
    TRY_ASSIGN(const TrainingJob training, training_of(job, engine, memory.choices()));
    const ScriptVariable* set = job.script->variable(memory.buffer_variable());
    const auto buffer = set != nullptr && set->exported ? base::number_in<std::int64_t>(set->value.text) : std::nullopt;
    const std::optional<Shortage> shortage = memory.shortage(training, buffer);
    if (!shortage) return {};
    std::string right = "more devices or a larger split: ckpt_convert plan lists what fits";
    if (const auto smaller = memory.smaller_buffer(training, buffer, job.numbers))
        right = base::format("{}={}: a communicator takes it twice, and no message is larger", memory.buffer_variable(),
                             *smaller);
    else if (shortage->remedy != nullptr) right = shortage->remedy->flags.find(name(engine))->second;
    findings.push_back({"memory",
                        "warning",
                        job.program->place,
                        base::format("stage {} needs {:.1f} GiB of each device by estimate, and {:.1f} can be had",
                                     shortage->stage, shortage->needed / kGiB, shortage->usable / kGiB),
                        std::move(right),
                        {}});
    return {};
}

}  // namespace ckpt
