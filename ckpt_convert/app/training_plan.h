// The plan of a training: what each stage's devices must hold, whether it fits, how long a step takes, and what would help.
#pragma once

#include "ckpt_convert/app/planned_model.h"
#include "ckpt_convert/app/training_time.h"
#include "ckpt_convert/job/choices.h"
#include "ckpt_convert/job/legality.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/memory/memory_scale.h"
#include "ckpt_convert/memory/stage_memory.h"
#include "ckpt_convert/search/layer_lists.h"
#include "ckpt_convert/search/recompute_choice.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// What the user knows better of the device than its preset.
struct DeviceFigures {
    std::optional<double> tflops, hbm_tb_s, intra_gb_s, inter_gb_s;
};

// What the command line says.
struct TrainingPlanOptions {
    TrainingJob job;
    bool layout_given = false;
    std::string device;
    std::string engine = "mindspeed", mode = "pretrain", precision = "bf16";
    std::string sizes;                // see planned_model
    std::vector<std::string> towers;  // see given_tower
    VocabOptions vocab;               // of the conversion
    std::string choices;              // see apply_choices
    std::optional<std::int64_t> per_node;
    BudgetOptions budget;
    DeviceFigures figures;
    std::optional<int> explained;  // a stage
    bool no_sequence_parallel = false;
    TimeOptions time;
};

// A job with its memory.
struct JobPlan {
    TrainingJob job;
    Budget budget;
    std::vector<StageMemory> stages;
    std::optional<TimedJob> time;  // where the device's figures are published

    std::size_t fullest() const { return fullest_stage(stages); }
    double peak() const { return stages[fullest()].peak(); }
    bool fits() const { return peak() <= budget.usable(); }
};

// A choice and what it would change on the fullest stage.
struct WhatIf {
    const Choice* choice = nullptr;
    double freed = 0;  // bytes
    bool fits = false;
};

struct TrainingPlan {
    PlannedModel model;
    Device device;
    std::vector<JobPlan> plans;        // of the layout given, or those that fit, the fastest first
    std::vector<WhatIf> what_if;       // of the first plan, what frees most first
    std::optional<int> least_devices;  // with which some layout fits; nullopt: with none that was tried
    Choices choices;
    std::unique_ptr<TrainingClock> clock;  // nullptr: `no_time` says why there is none
    std::string no_time;
    VocabOptions vocab;              // as they were given
    std::string target;              // what the engine's checkpoints are written for: --target
    std::int64_t assumed_batch = 0;  // samples of a step where nobody said how many
    // Of the first plan, and of the search for it.
    std::optional<LayerLists> lists;
    std::optional<RecomputeChoice> recompute;
    std::optional<SearchResult> searched;
    std::optional<MemoryScale> memory_scale;  // of a user's own run
    std::vector<std::string> notes;
};

// Fails with usage where the layout is not legal, and says why and what to do; with unsupported where nothing fits and no
// layout was given.
Result<TrainingPlan> plan_training(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                   const SourceOptions& source, const TrainingPlanOptions& options);

}  // namespace ckpt
