#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/job/shape_rules.h"
#include "ckpt_convert/launch/script_checks.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/memory/stage_memory.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

constexpr auto kNeeded = std::to_array<std::string_view>({"world", "nproc", "tp", "pp", "cp", "mbs", "gbs", "seq"});

// Whether the script has what a choice has on the command line: "--recompute-method block --recompute-num-layers N",
// "without --use-flash-attn". `number`: the N.
bool is_chosen(const ScriptJob& job, std::string_view flags, std::int64_t& number) {
    const ScriptOption* option = nullptr;
    bool is_without = false;
    for (const std::string_view word : base::split(flags, ' ')) {
        if (word == "without") {
            is_without = true;
        } else if (word.starts_with("--")) {
            option = job.option(word);
            if ((option == nullptr) != is_without) return false;
        } else {
            if (option == nullptr || option->values.empty()) return false;
            const std::string& first = option->values.front().text;
            const auto given = number_in(first);
            if (word == "N" && given) number = static_cast<std::int64_t>(*given);
            const bool is_it = std::any_of(option->values.begin(), option->values.end(),
                                           [&](const ScriptWord& value) { return value.text == word; });
            if (word == "N" ? !given : !is_it) return false;
        }
    }
    return true;
}

TrainingMode mode_of(const ScriptJob& job) {
    if (job.has("--lora-r")) return TrainingMode::lora;
    if (job.numbers.at("is_dpo") != 0) return TrainingMode::dpo;
    return job.numbers.at("is_sft") != 0 ? TrainingMode::sft : TrainingMode::pretrain;
}

Result<TrainingJob> training_of(const ScriptJob& job, Engine engine, const Choices& choices) {
    const auto number = [&](const char* name) {
        const auto found = job.numbers.find(name);
        return found == job.numbers.end() ? 0 : static_cast<int>(found->second);
    };
    TrainingJob out;
    out.engine = engine;
    out.mode = mode_of(job);
    out.precision = job.has("--fp16") ? Precision::fp16 : job.has("--bf16") ? Precision::bf16 : Precision::fp32;
    out.ranks.devices = number("world");
    out.ranks.per_node = number("nproc");
    out.ranks.tp = number("tp");
    out.ranks.pp = number("pp");
    out.ranks.cp = number("cp");
    out.ranks.experts.ep = std::max(1, number("ep"));
    out.ranks.experts.etp = number("etp");
    out.ranks.sequence_parallel = job.has("--sequence-parallel");
    out.ranks.layers_per_virtual_stage = static_cast<std::uint32_t>(number("vpp_layers"));
    const ScriptWord* schedule = job.value("--schedules-method");
    out.ranks.dualpipev = schedule != nullptr && schedule->text == "dualpipev";
    out.batch = {number("mbs"), number("gbs"), number("seq")};
    for (const auto& [option, layers] : {std::pair("--noop-layers", &out.ranks.noop_layers),
                                         std::pair("--num-layer-list", &out.ranks.layers_per_stage)}) {
        const ScriptWord* list = job.value(option);
        if (list == nullptr) continue;
        TRY_ASSIGN(*layers, number_list(option, list->text));
    }
    for (const Choice& choice : choices.choices) {
        const auto flags = choice.flags.find(name(engine));
        std::int64_t n = 0;
        if (flags != choice.flags.end() && is_chosen(job, flags->second, n)) apply_choice(choice, n, out);
    }
    return out;
}

}  // namespace

Result<MemoryCheck> MemoryCheck::make(const base::DataStore& store, const Source& model, const Device& device,
                                      const ReserveRules& reserve) {
    MemoryCheck out;
    TRY_ASSIGN(out.choices_, load_choices(store));
    TRY_ASSIGN(const ShapeRules rules, load_shape_rules(store));
    TRY_ASSIGN(out.shape_, shape_of(model.model, {{}, &model.config->root, nullptr}, rules));
    out.device_ = device;
    out.reserve_ = reserve;
    return out;
}

Status MemoryCheck::run(const ScriptJob& job, std::vector<ScriptFinding>& findings) const {
    const bool is_whole = std::all_of(kNeeded.begin(), kNeeded.end(), [&](std::string_view name) {
        const auto found = job.numbers.find(std::string(name));
        return found != job.numbers.end() && found->second > 0;
    });
    if (!is_whole || job.numbers.at("trains") == 0) return {};
    const Engine engine = job.target->dialect == "mindspeed" ? Engine::mindspeed : Engine::megatron;
    TRY_ASSIGN(const TrainingJob training, training_of(job, engine, choices_));
    // A layout that cannot be is said by other checks; of some devices nobody has said what they have.
    if (training.ranks.devices % (training.ranks.tp * training.ranks.pp * training.ranks.cp) != 0) return {};
    const auto stages = memory_of(shape_, training, device_.npu);
    const auto budget = budget_of(device_, reserve_, shape_, training, {});
    if (!stages || !budget) return {};
    const std::size_t fullest = fullest_stage(*stages);
    const double peak = (*stages)[fullest].peak();
    if (peak <= budget->usable()) return {};
    std::string right = "more devices or a larger split: ckpt_convert plan lists what fits";
    for (const Choice& choice : choices_.choices) {
        if (!is_suggested(choice, shape_, engine)) continue;
        TrainingJob other = training;
        apply_choice(choice, 0, other);
        const auto then = memory_of(shape_, other, device_.npu);
        if (!then || (*then)[fullest_stage(*then)].peak() > budget->usable()) continue;
        right = choice.flags.find(name(engine))->second;
        break;
    }
    findings.push_back({"memory",
                        "warning",
                        job.program->place,
                        base::format("stage {} needs {:.1f} GiB of each device by estimate, and {:.1f} can be had",
                                     fullest, peak / kGiB, budget->usable() / kGiB),
                        std::move(right),
                        {}});
    return {};
}

}  // namespace ckpt
