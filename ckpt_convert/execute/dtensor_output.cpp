#include "ckpt_convert/execute/dtensor_output.h"

#include <memory>

#include "base/format.h"
#include "ckpt_convert/formats/torch_file/dtensor_writer.h"

namespace ckpt {
namespace {

Result<OutputFile> rank_file(const std::vector<RankParts>& parts, std::uint32_t rank, std::uint32_t ranks,
                             const std::string& device) {
    OutputFile out;
    out.path = base::format("model_world_size_{}_rank_{}.pt", ranks, rank);
    auto file = std::make_shared<TorchFilePlan>();
    DTensorWriter writer(*file, rank, ranks, device);
    pickle::Value* root = file->dict();
    for (const RankParts& one : parts) {
        Shape shape = one.whole.shape_in_file();
        const Shape whole = shape;
        pickle::Value* local = nullptr;
        if (const auto& target = one.parts[rank]) {
            if (one.cut) shape[0] = one.rows(rank);
            TRY_ASSIGN(local, file->tensor(one.whole.dtype, shape));
            out.targets.push_back(*target);
        } else {
            shape[0] = 0;
            TRY_ASSIGN(local, file->tensor(one.whole.dtype, shape, ""));
        }
        TorchFilePlan::set(root, file->string(one.whole.name),
                           one.cut ? writer.make(local, one.whole.dtype, whole) : local);
    }
    TRY(file->finish(root));
    out.bytes = file->file_bytes();
    for (std::size_t i = 0; i < out.targets.size(); ++i) out.offsets.push_back(file->tensor_offset(i));
    out.chunks = [file](const std::vector<std::uint32_t>& crc32) { return file->chunks(crc32); };
    return out;
}

}  // namespace

Result<OutputPlan> dtensor_output(const std::vector<RankParts>& parts, std::uint32_t ranks, const std::string& device) {
    OutputPlan out;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        TRY_ASSIGN(OutputFile file, rank_file(parts, rank, ranks, device));
        out.files.push_back(std::move(file));
    }
    return out;
}

}  // namespace ckpt
