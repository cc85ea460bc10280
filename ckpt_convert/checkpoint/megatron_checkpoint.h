// MegatronCheckpoint: a Megatron checkpoint: rank files or one torch_dist index, model chunks, the saved arguments.
//
//   ROOT/latest_checkpointed_iteration.txt                       "1" or "release"
//   ROOT/iter_0000001/mp_rank_TT[_PPP][_EEE]/model_optim_rng.pt  TP rank, PP rank when PP > 1, EP rank when EP > 1
//   ROOT/iter_0000001/mp_rank_TT[_PPP]/model_rng.pt              until 2023, of a run with a distributed optimizer,
//   ROOT/iter_0000001/mp_rank_TT[_PPP]_DDD/optim.pt              which had directories of its own
//   ROOT/iter_0000001/{metadata.json, .metadata, *.distcp}       instead of these: torch_dist
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

struct MegatronRank {
    int tp = 0;
    int pp = 0;
    std::uint32_t file = 0;    // index into TensorIndex::files
    std::uint32_t chunks = 1;  // `model`, or model0 .. model{chunks-1} with virtual pipeline stages
    int ep = 0;
};

struct MegatronCheckpoint {
    Path directory;         // the iteration's directory
    std::string iteration;  // "1", "release"
    Json args;              // the argparse.Namespace of rank 0 as an object; empty when the file has none
    int tp = 1;
    int pp = 1;
    int ep = 1;
    bool virtual_stages = false;      // chunks are called model0, model1 ...
    bool torch_dist = false;          // one index of whole tensors instead of rank files; TP and PP are 1
    bool has_optimizer = false;       // there is the state of an optimizer beside the weights
    bool legacy = false;              // Megatron wrote it before megatron-core, see LegacyNames
    std::optional<double> version;    // checkpoint_version of its rank files
    std::vector<MegatronRank> ranks;  // by pp, then ep, then tp; every stage has the same pairs of the latter
    // Tensor names are "<chunk key>/<name>": "model/decoder.layers.0...", "model1/decoder...". Per file.
    TensorIndex index;

    // The number of ranks of a pipeline stage.
    std::uint32_t stage_size() const {
        return static_cast<std::uint32_t>(ranks.size()) / static_cast<std::uint32_t>(pp);
    }
};

bool is_megatron_checkpoint(base::FileSystem& fs, const Path& directory);

// Whether it has weights of Megatron where it says, and not another checkpoint under the same names.
bool holds_megatron_weights(base::FileSystem& fs, const Path& directory);

// Reads the tracker file, finds every rank file, and checks that the grid of ranks is complete and agrees with the
// saved arguments. `directory` may be the root or an iteration's directory.
Result<MegatronCheckpoint> open_megatron_checkpoint(base::FileSystem& fs, const Path& directory);

// "mp_rank_00", "mp_rank_01_003", "mp_rank_01_003_000"; numbers that are nullopt are left out.
std::string rank_directory(int tp, std::optional<int> pp, std::optional<int> ep = std::nullopt);
// The key of a chunk in the file's dict: "model" or "model<chunk>".
std::string chunk_key(bool virtual_stages, std::uint32_t chunk);
// The parts of an indexed name: "model1/decoder..." is in the chunk "model1".
struct TensorKey {
    std::string_view chunk;
    std::string_view name;
};
TensorKey split_key(std::string_view indexed_name);

inline constexpr const char* kTrackerFile = "latest_checkpointed_iteration.txt";
inline constexpr const char* kRankFile = "model_optim_rng.pt";
inline constexpr const char* kOldRankFile = "model_rng.pt";
inline constexpr const char* kOldOptimizerFile = "optim.pt";
// What the names of tensors of the decoder's layers begin with.
inline constexpr std::string_view kLayersPrefix = "decoder.layers.";

}  // namespace ckpt
