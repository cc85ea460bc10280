// A checkpoint as a training run with a distributed optimizer leaves it, made of a converted one.
#pragma once

#include <cstring>
#include <functional>

#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace test {

// A torch file whose tensors get their bytes as they are made.
class TrainedFile {
public:
    ckpt::TorchFilePlan plan;

    ckpt::pickle::Value* tensor(ckpt::DType dtype, const ckpt::Shape& shape, std::string bytes) {
        payloads_.push_back(std::move(bytes));
        return *plan.tensor(dtype, shape);
    }
    ckpt::pickle::Value* dict(const std::vector<std::pair<std::string, ckpt::pickle::Ref>>& items) {
        ckpt::pickle::Value* out = plan.dict();
        for (const auto& [key, value] : items)
            out->as<ckpt::pickle::Dict>()->items.emplace_back(plan.string(key), value);
        return out;
    }
    ckpt::pickle::Value* list(std::vector<ckpt::pickle::Ref> items) {
        return plan.arena().make(ckpt::pickle::List{std::move(items)});
    }
    std::string bytes(ckpt::pickle::Ref root) {
        REQUIRE(plan.finish(root));
        std::string out(plan.file_bytes(), '\0');
        std::vector<std::uint32_t> sums;
        for (std::size_t i = 0; i < payloads_.size(); ++i) {
            sums.push_back(ckpt::crc32(base::as_bytes(payloads_[i])));
            out.replace(plan.tensor_offset(i), payloads_[i].size(), payloads_[i]);
        }
        for (const auto& chunk : plan.chunks(sums)) out.replace(chunk.offset, chunk.data.size(), chunk.data);
        return out;
    }

private:
    std::vector<std::string> payloads_;
};

// The flat tensors of a rank: of state s, an element is (s + 1) times the weight.
inline ckpt::pickle::Value* flat_states(TrainedFile& file, const std::vector<std::vector<float>>& weights) {
    std::vector<float> flat;
    for (auto weight = weights.rbegin(); weight != weights.rend(); ++weight) {
        flat.resize((flat.size() + 63) / 64 * 64);
        flat.insert(flat.end(), weight->begin(), weight->end());
    }
    std::vector<std::pair<std::string, ckpt::pickle::Ref>> items;
    for (std::size_t state = 0; state < ckpt::kOptimizerStates.size(); ++state) {
        std::string bytes(flat.size() * sizeof(float), '\0');
        for (std::size_t i = 0; i < flat.size(); ++i) {
            float value = flat[i] * static_cast<float>(state + 1);
            std::memcpy(bytes.data() + i * sizeof(float), &value, sizeof(float));
        }
        items.emplace_back(ckpt::kOptimizerStates[state],
                           file.tensor(ckpt::DType::f32, {flat.size()}, std::move(bytes)));
    }
    items.emplace_back("numel_unpadded", file.plan.integer(static_cast<std::int64_t>(flat.size())));
    return file.dict(items);
}

inline ckpt::pickle::Value* group(TrainedFile& file, double decay) {
    auto& plan = file.plan;
    return file.dict({{"wd_mult", plan.real(decay)},
                      {"lr_mult", plan.real(1)},
                      {"is_expert_parallel", plan.boolean(false)},
                      {"is_decoupled_lr", plan.boolean(false)},
                      {"lr", plan.real(0.25)},
                      {"step", plan.integer(7)}});
}

// Rewrites the rank files below `root` (a converted checkpoint of `kTrainedFrom`) as those of iteration 7 of a training
// run, with new weights, and puts distrib_optim.pt beside them.
inline void train(MemoryFileSystem& fs, const std::string& root) {
    auto checkpoint = ckpt::open_megatron_checkpoint(fs, root);
    REQUIRE_MESSAGE(checkpoint, checkpoint.error().text());
    for (std::uint32_t rank = 0; rank < checkpoint->index.files.size(); ++rank) {
        base::Path path = checkpoint->index.files[rank]->path();
        auto old = ckpt::TorchFile::read(*checkpoint->index.files[rank]);
        REQUIRE(old);
        TrainedFile file, states;
        std::vector<std::pair<std::string, ckpt::pickle::Ref>> model;
        std::vector<std::vector<float>> weights;
        for (const auto& tensor : checkpoint->index.tensors) {
            if (tensor.file != rank) continue;
            // Finite bf16 numbers; copies on other ranks are equal.
            std::size_t seed = std::hash<std::string>()(tensor.name) + (tensor.shape.size() > 1 ? rank * 977 : 0);
            std::string bytes;
            weights.emplace_back();
            for (std::size_t i = 0; i < tensor.bytes() / 2; ++i) {
                auto half = static_cast<std::uint16_t>(0x3000 + (seed + i) % 0x1000);
                bytes += static_cast<char>(half & 0xFF);
                bytes += static_cast<char>(half >> 8);
                std::uint32_t word = std::uint32_t{half} << 16;
                float value = 0;
                std::memcpy(&value, &word, sizeof value);
                weights.back().push_back(value);
            }
            model.emplace_back(ckpt::split_key(tensor.name).name,
                               file.tensor(tensor.dtype, tensor.shape, std::move(bytes)));
        }
        auto* inner = file.dict({{"param_groups", file.list({group(file, 1), group(file, 0)})}});
        fs.add(path,
               file.bytes(file.dict({{"args", ckpt::pickle::find(old->root(), "args")},
                                     {"checkpoint_version", file.plan.real(3)},
                                     {"iteration", file.plan.integer(7)},
                                     {"model", file.dict(model)},
                                     {"optimizer", file.dict({{"optimizer", inner}})},
                                     {"opt_param_scheduler", file.dict({{"num_steps", file.plan.integer(448)}})}})));
        auto* types = states.plan.arena().make(
            ckpt::pickle::Tuple{{states.plan.dtype(ckpt::DType::bf16), states.plan.dtype(ckpt::DType::f32)}});
        auto* buffer = states.plan.dict();
        ckpt::TorchFilePlan::set(buffer, types, flat_states(states, weights));
        auto* all = states.dict({{"buckets_coalesced", states.plan.boolean(true)}});
        ckpt::TorchFilePlan::set(all, states.plan.integer(0), buffer);
        fs.add(base::join(base::parent(path), ckpt::kOptimizerFile), states.bytes(all));
    }
}

// The buffers of every rank, all states behind each other: "mp_rank_00" -> bytes.
inline std::map<std::string, std::string> states_of(MemoryFileSystem& fs, const std::string& root) {
    auto checkpoint = ckpt::open_megatron_checkpoint(fs, root);
    REQUIRE_MESSAGE(checkpoint, checkpoint.error().text());
    auto files = ckpt::open_optimizer_files(fs, checkpoint->index);
    REQUIRE_MESSAGE(files, files.error().text());
    CHECK(files->iteration == 7);
    std::map<std::string, std::string> out;
    for (const auto& rank : files->ranks) {
        std::string& bytes = out[std::string(base::file_name(base::parent(rank.file->path())))];
        for (const auto& buffer : *rank.dense) {
            for (std::uint64_t offset : buffer.offsets) {
                std::string part(buffer.elements * sizeof(float), '\0');
                REQUIRE(rank.file->read_at(offset, std::as_writable_bytes(std::span(part.data(), part.size()))));
                bytes += part;
            }
        }
    }
    return out;
}

}  // namespace test
