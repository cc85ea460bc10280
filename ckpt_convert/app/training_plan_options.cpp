#include "ckpt_convert/app/training_plan_options.h"

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "command_line/one_of.h"

namespace ckpt {
namespace {

const CLI::Range kRanks(1, 1 << 20);
const CLI::Range kGibibytes(1e-3, 1e6);
const CLI::Range kFigures(1e-3, 1e6);
const CLI::Range kTokens(std::int64_t{1}, std::int64_t{1} << 32);

}  // namespace

void add_training_plan(CLI::App& plan, Options& options) {
    TrainingPlanOptions& given = options.training;
    TrainingJob& job = given.job;
    job.batch.sequence = 0;
    auto* group = plan.add_option_group("Plan of a training");
    group->add_option("--devices", options.planned_devices, "Plan a training on N devices: what fits, and why")
        ->check(kRanks)
        ->option_text("N");
    group->add_option("--device", given.device, "The device: a2, a3, 910b3, h100 ...; rules/planner/hardware.json")
        ->option_text("NAME");
    group->add_option("--devices-per-node", given.per_node, "Devices of a node (default: as the device has)")
        ->check(kRanks)
        ->option_text("N");
    group->add_option("--hbm-gib", given.budget.hbm_gib, "Memory of a device, as its runtime reports it")
        ->check(kGibibytes)
        ->option_text("GIB");
    group->add_option("--reserve-gib", given.budget.reserve_gib, "Memory that driver and runtime take (default 1)")
        ->check(CLI::Range(0.0, 1e6))
        ->option_text("GIB");
    group->add_option("--hccl-buffsize", given.budget.buffer_mib, "HCCL_BUFFSIZE, in MiB (default 200)")
        ->check(kRanks)
        ->option_text("MIB");
    group->add_option("--tflops", given.figures.tflops, "Peak of the device's dense bf16 products, in 10^12 FLOP/s")
        ->check(kFigures)
        ->option_text("N");
    group->add_option("--hbm-tb-s", given.figures.hbm_tb_s, "Bandwidth of its memory, in 10^12 bytes/s")
        ->check(kFigures)
        ->option_text("N");
    group
        ->add_option("--link-intra", given.figures.intra_gb_s,
                     "Its link to the devices of its node, one direction, in 10^9 bytes/s")
        ->check(kFigures)
        ->option_text("N");
    group->add_option("--link-inter", given.figures.inter_gb_s, "Its share of the links between nodes, in 10^9 bytes/s")
        ->check(kFigures)
        ->option_text("N");
    group->add_option("--engine", given.engine, "Who trains: mindspeed (default), megatron or fsdp2")
        ->check(command_line::OneOf({"mindspeed", "megatron", "fsdp2"}));
    group->add_option("--mode", given.mode, "pretrain (default), sft, lora or dpo")
        ->check(command_line::OneOf({"pretrain", "sft", "lora", "dpo"}));
    group->add_option("--precision", given.precision, "bf16 (default), fp16 or fp32")
        ->check(command_line::OneOf({"bf16", "fp16", "fp32"}));
    group
        ->add_option("--sizes", given.sizes,
                     "Sizes in place of a model: layers=32,hidden=4096,heads=32,ffn=11008,vocab=32000")
        ->option_text("LIST");
    group
        ->add_option("--tower", given.towers,
                     "A tower for images or sound before the first stage, by its sizes: "
                     "hidden=1280,layers=32,heads=16,ffn=3420,patches=4096 of a sample; also images, merge, "
                     "patch_values, gated=1, trained=0, stages=1 of its own")
        ->option_text("LIST");
    group->add_option("--cp", job.ranks.cp, "Context parallel size")->check(kRanks)->option_text("N");
    group
        ->add_option("--seq-length", job.batch.sequence,
                     "Tokens of a sample (default 4096, or what the model has positions for)")
        ->check(kTokens)
        ->option_text("N");
    group->add_option("--micro-batch-size", job.batch.micro, "Samples of a micro-batch (default 1)")
        ->check(kRanks)
        ->option_text("N");
    group
        ->add_option(
            "--global-batch-size", job.batch.global,
            "Samples of a step (default: as few as fill the pipeline; 8 for each device where layouts are compared)")
        ->check(kTokens)
        ->option_text("N");
    group
        ->add_option(
            "--with", given.choices,
            "What the training does about memory, with commas: recompute-full, recompute-block:2, swap-optimizer "
            "...; rules/planner/choices.json")
        ->option_text("LIST");
    group->add_option("--lora-rank", job.lora.rank, "With --mode lora: the rank of the adapters (default 8)")
        ->check(kRanks)
        ->option_text("N");
    group->add_flag("--fp8", job.fp8, "Matrix products in FP8, as far as the device has it");
    group
        ->add_option(
            "--hides", given.time.hides,
            "What the training hides, with commas: tensor, experts, pipeline, graphs, once-per-node, ring-attention")
        ->option_text("LIST");
    group
        ->add_option("--calibrate", given.time.calibrate,
                     "A measured run of this layout: {\"step_seconds\": 31.2, \"peak_gib\": 41.5}, or the JSON of "
                     "migrator profile or "
                     "compare")
        ->option_text("FILE");
    group->add_option("--price", given.time.price, "Price of a device for an hour: what steps and tokens cost")
        ->check(CLI::Range(1e-6, 1e9))
        ->option_text("PRICE");
    group->add_flag("--compare-fsdp2", given.time.fsdp2, "Layouts of FSDP2 are ranked with the others");
    group->add_option("--explain", given.explained, "What a stage holds, tensor by tensor")->option_text("STAGE");
}

Status take_training_plan(Options& options, const RawOptions& raw) {
    if (!options.convert.save_dir.empty())
        return base::fail(ErrorKind::usage, "a plan of a training writes nothing: leave OUTPUT out");
    if (options.training.device.empty())
        return base::fail(ErrorKind::usage, "--device is needed: the device that trains, such as a2 or h100");
    TRY(check_layout(options.convert, raw));
    TrainingPlanOptions& given = options.training;
    static_cast<Topology&>(given.job.ranks) = options.convert.topology;
    given.job.ranks.devices = options.planned_devices;
    given.layout_given = options.convert.topology_given || raw.layout_named;
    take_vocabulary(raw, options.convert.vocab);
    given.vocab = options.convert.vocab;
    return {};
}

}  // namespace ckpt
