#include "ckpt_convert/execute/dtensor_output.h"

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "base/format.h"
#include "ckpt_convert/execute/numbered_groups.h"
#include "ckpt_convert/formats/torch_file/dtensor_writer.h"

namespace ckpt {
namespace {

using pickle::Value;

constexpr std::array<const char*, 2> kMoments{"exp_avg", "exp_avg_sq"};

class RankFile {
public:
    RankFile(const char* kind, std::uint32_t rank, const RanksRun& run)
        : file(std::make_shared<TorchFilePlan>()), rank_(rank), writer_(*file, rank, run.ranks, run.device) {
        out_.path = base::format("{}_world_size_{}_rank_{}.pt", kind, run.ranks, rank);
    }

    // What the rank has of a tensor.
    Result<Value*> value(const RankParts& one) {
        Shape shape = one.whole.shape_in_file();
        const Shape whole = shape;
        Value* local = nullptr;
        if (const auto target = one.part(rank_)) {
            if (one.cut) shape[0] = one.rows(rank_);
            TRY_ASSIGN(local, file->tensor(one.whole.dtype, shape));
            out_.targets.push_back(*target);
        } else {
            shape[0] = 0;
            TRY_ASSIGN(local, file->tensor(one.whole.dtype, shape, ""));
        }
        return one.cut ? writer_.make(local, one.whole.dtype, whole) : local;
    }

    Result<OutputFile> finish(Value* root) {
        TRY(file->finish(root));
        out_.bytes = file->file_bytes();
        for (std::size_t i = 0; i < out_.targets.size(); ++i) out_.offsets.push_back(file->tensor_offset(i));
        out_.chunks = [planned = file](const std::vector<std::uint32_t>& crc32) { return planned->chunks(crc32); };
        return std::move(out_);
    }

    std::shared_ptr<TorchFilePlan> file;

private:
    OutputFile out_;
    std::uint32_t rank_;
    DTensorWriter writer_;
};

class RankFiles {
public:
    RankFiles(const std::vector<RankParts>& parts, const RanksRun& run, const NamedTraining* training)
        : run_(run), training_(training) {
        for (const RankParts& one : parts) {
            if (!one.whole.of_model) states_.emplace(one.whole.name, &one);
            else weights_.emplace(one.whole.name, &one);
        }
        for (std::size_t group = 0; training != nullptr && group < training->groups.size(); ++group) {
            for (const std::string& name : training->groups[group].names) list(name);
        }
        for (const RankParts& one : parts) {
            if (one.whole.of_model) list(one.whole.name);
        }
    }

    Result<OutputPlan> make() {
        OutputPlan out;
        for (std::uint32_t rank = 0; rank < run_.ranks; ++rank) {
            TRY_ASSIGN(OutputFile weights, model_file(rank));
            out.files.push_back(std::move(weights));
            if (training_ == nullptr) continue;
            TRY_ASSIGN(OutputFile states, optimizer_file(rank));
            out.files.push_back(std::move(states));
        }
        return out;
    }

private:
    void list(const std::string& name) {
        const auto found = weights_.find(name);
        if (found == weights_.end()) return;
        order_.push_back(found->second);
        weights_.erase(found);
    }

    Result<OutputFile> model_file(std::uint32_t rank) const {
        RankFile out("model", rank, run_);
        Value* root = out.file->dict();
        std::map<std::string_view, Value*> values;
        for (const RankParts* one : order_) {
            TRY_ASSIGN(Value * value, out.value(*one));
            TorchFilePlan::set(root, out.file->string(one->whole.name), value);
            values.emplace(one->whole.name.get(), value);
        }
        for (const auto& [alias, owner] : run_.aliases)
            TorchFilePlan::set(root, out.file->string(alias), values.at(owner));
        return out.finish(root);
    }

    Result<OutputFile> optimizer_file(std::uint32_t rank) const {
        RankFile out("optim", rank, run_);
        Value* states = out.file->dict();
        std::vector<std::vector<std::size_t>> numbers(training_->groups.size());
        std::size_t number = 0;
        for (std::size_t group = 0; group < numbers.size(); ++group) {
            for (const std::string& name : training_->groups[group].names) {
                Value* state = out.file->dict();
                TorchFilePlan::set(state, out.file->string("step"), out.file->scalar(training_->step));
                for (const char* moment : kMoments) {
                    TRY_ASSIGN(Value * value, out.value(*states_.at(base::format("{}/{}", moment, name))));
                    TorchFilePlan::set(state, out.file->string(moment), value);
                }
                TorchFilePlan::set(states, out.file->integer(static_cast<std::int64_t>(number)), state);
                numbers[group].push_back(number++);
            }
        }
        TRY_ASSIGN(Value * groups, numbered_groups(*out.file, *training_, numbers));
        Value* root = out.file->dict();
        TorchFilePlan::set(root, out.file->string("state"), states);
        TorchFilePlan::set(root, out.file->string("param_groups"), groups);
        return out.finish(root);
    }

    const RanksRun& run_;
    const NamedTraining* training_;
    std::unordered_map<std::string_view, const RankParts*> weights_, states_;
    std::vector<const RankParts*> order_;  // of the model file
};

}  // namespace

Result<OutputPlan> dtensor_output(const std::vector<RankParts>& parts, const RanksRun& run,
                                  const NamedTraining* training) {
    return RankFiles(parts, run, training).make();
}

}  // namespace ckpt
