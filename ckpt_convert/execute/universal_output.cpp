#include "ckpt_convert/execute/universal_output.h"

#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/execute/engine_state.h"
#include "ckpt_convert/execute/numbered_groups.h"

namespace ckpt {
namespace {

using pickle::Value;

// What DeepSpeed asks for before it looks for patterns of tensor parallel ranks.
constexpr double kUniversalVersion = 0.4;
constexpr const char* kModelFiles[] = {"mp_rank_00_model_states.pt", "zero_pp_rank_0_mp_rank_00_model_states.pt"};

class UniversalFiles {
public:
    UniversalFiles(const ConversionPlan& plan, const NamedTraining& training)
        : plan_(plan), training_(training), directory_(universal_directory(training)) {
        for (const NamedTraining::Group& group : training.groups) {
            for (const std::string& name : group.names) trained_.insert(name);
        }
    }

    Result<OutputPlan> make() {
        for (std::uint32_t i = 0; i < plan_.targets.size(); ++i) TRY(add_target(i));
        TRY(add_steps());
        TRY(add_optimizer());
        // Buffers are in one of the two, as a target is written once.
        TRY(add_model(kModelFiles[0], buffers_));
        TRY(add_model(kModelFiles[1], {}));
        return std::move(out_);
    }

private:
    bool is_buffer(const TargetTensor& target) const {
        return target.of_model && !trained_.contains(target.name.get());
    }

    Status add_target(std::uint32_t number) {
        const TargetTensor& target = plan_.targets[number];
        if (is_buffer(target)) {
            buffers_.push_back(number);
            return {};
        }
        const TensorKey state = split_key(target.name.get());
        const std::string what = target.of_model ? "fp32" : std::string(state.chunk);
        const std::string weight = target.of_model ? target.name.get() : std::string(state.name);
        auto& file = by_form_[{target.dtype, target.shape_in_file()}];
        if (file == nullptr) {
            file = std::make_shared<TorchFilePlan>();
            TRY_ASSIGN(Value * tensor, file->tensor(target.dtype, target.shape_in_file()));
            Value* root = file->dict();
            TorchFilePlan::set(root, file->string("param"), tensor);
            TorchFilePlan::set(root, file->string("cat_dim"), file->integer(0));
            TRY(file->finish(root));
        }
        add_file(base::format("zero/{}/{}.pt", weight, what), file, {number});
        return {};
    }

    Status add_steps() {
        auto file = std::make_shared<TorchFilePlan>();
        TRY(file->finish(file->scalar(training_.step)));
        for (const std::string_view weight : trained_) add_file(base::format("zero/{}/step.pt", weight), file, {});
        return {};
    }

    // Of ZeRO 1 and 2 the groups are looked up by number; ZeRO 3 takes the settings of the first for all.
    Status add_optimizer() {
        auto file = std::make_shared<TorchFilePlan>();
        std::vector<std::vector<std::size_t>> numbers;
        for (std::size_t group = 0; group < training_.groups.size(); ++group) numbers.push_back({group});
        TRY_ASSIGN(Value * groups, numbered_groups(*file, training_, numbers));
        Value* first = file->dict();
        TorchFilePlan::set(first, file->string("step"), file->scalar(training_.step));
        Value* state = file->dict();
        TorchFilePlan::set(state, file->integer(0), first);
        Value* inner = file->dict();
        TorchFilePlan::set(inner, file->string("state"), state);
        TorchFilePlan::set(inner, file->string("param_groups"), groups);
        Value* root = file->dict();
        TorchFilePlan::set(root, file->string("optimizer_state_dict"), inner);
        TorchFilePlan::set(root, file->string("param_groups"), groups);
        TorchFilePlan::set(root, file->string("ds_version"), file->string(kDeepSpeedVersion));
        TRY(file->finish(root));
        add_file("zero/optimizer_state.pt", file, {});
        return {};
    }

    Status add_model(const char* name, const std::vector<std::uint32_t>& buffers) {
        auto file = std::make_shared<TorchFilePlan>();
        Value* module = file->dict();
        Value* buffer_names = file->list();
        for (std::uint32_t number : buffers) {
            const TargetTensor& target = plan_.targets[number];
            TRY_ASSIGN(Value * tensor, file->tensor(target.dtype, target.shape_in_file()));
            Value* text = file->string(target.name);
            TorchFilePlan::set(module, text, tensor);
            buffer_names->as<pickle::List>()->items.push_back(text);
        }
        Value* root = file->dict();
        auto set = [&](const char* key, Value* value) { TorchFilePlan::set(root, file->string(key), value); };
        set("module", module);
        set("buffer_names", buffer_names);
        set("param_shapes", shapes(*file));
        set_engine_state(*file, root, training_, 1);
        if (!training_.ordered) set(kParameterOrder, file->string(kUnknownOrder));
        Value* info = file->dict();
        TorchFilePlan::set(info, file->string("universal_checkpoint_version"), file->real(kUniversalVersion));
        set("universal_checkpoint_info", info);
        TRY(file->finish(root));
        add_file(name, file, buffers);
        return {};
    }

    // By group, in the order of the plan.
    Value* shapes(TorchFilePlan& file) const {
        std::unordered_map<std::string_view, const TargetTensor*> targets;
        for (const TargetTensor& target : plan_.targets) {
            if (target.of_model) targets.emplace(target.name.get(), &target);
        }
        Value* out = file.list();
        for (const NamedTraining::Group& group : training_.groups) {
            Value* by_name = file.dict();
            for (const std::string& name : group.names)
                TorchFilePlan::set(by_name, file.string(name), file.size(targets.at(name)->shape_in_file()));
            out->as<pickle::List>()->items.push_back(by_name);
        }
        return out;
    }

    void add_file(const std::string& path, const std::shared_ptr<const TorchFilePlan>& planned,
                  std::vector<std::uint32_t> targets) {
        OutputFile file;
        file.path = base::format("{}/{}", directory_, path);
        file.bytes = planned->file_bytes();
        for (std::size_t i = 0; i < targets.size(); ++i) file.offsets.push_back(planned->tensor_offset(i));
        file.targets = std::move(targets);
        file.chunks = [planned](const std::vector<std::uint32_t>& crc32) { return planned->chunks(crc32); };
        out_.files.push_back(std::move(file));
    }

    const ConversionPlan& plan_;
    const NamedTraining& training_;
    std::string directory_;
    std::set<std::string_view> trained_;
    std::vector<std::uint32_t> buffers_;
    // Files of tensors of equal type and shape differ in nothing but their payload.
    std::map<std::pair<DType, Shape>, std::shared_ptr<TorchFilePlan>> by_form_;
    OutputPlan out_;
};

}  // namespace

std::string universal_directory(const NamedTraining& training) {
    return base::format("global_step{}_universal", static_cast<std::uint64_t>(training.step));
}

Result<OutputPlan> universal_output(const ConversionPlan& plan, const NamedTraining& training) {
    return UniversalFiles(plan, training).make();
}

}  // namespace ckpt
