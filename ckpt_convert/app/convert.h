// A conversion as a straight line: open, plan, prove, lay out, write, commit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// What a conversion did, or would do.
struct ConvertSummary {
    std::string from;  // "Hugging Face", "Megatron TP 2 x PP 2"
    std::string to;
    std::string family;
    std::uint32_t layers = 0;  // 0: not known, and neither is the family
    std::uint64_t parameters = 0;
    std::string dtypes;         // "bf16", "bf16, f32"
    std::uint64_t tensors = 0;  // written
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::uint64_t buffer_bytes = 0;                            // of all threads
    std::vector<std::pair<std::string, std::uint64_t>> files;  // path in the output, bytes
    std::vector<std::string> notes;
    std::string ranks;               // of a dry run: what every rank holds; empty: there are no ranks
    std::string plan_text;           // what every tensor is made of, when asked for
    std::vector<CastReport> losses;  // what casts lost
    std::uint64_t reused_files = 0;  // of a run that was interrupted
    std::uint64_t reused_bytes = 0;
    double seconds = 0;
    bool dry_run = false;
};

// "qwen3, 28 layers, 0.6 B parameters, bf16"
std::string model_text(const ConvertSummary& summary);

// Follows a conversion. `written` is called from any thread.
class ConvertObserver {
public:
    virtual ~ConvertObserver() = default;
    virtual void planned(const ConvertSummary&) {}
    virtual void written(std::uint64_t /*bytes*/) {}
};

Result<ConvertSummary> convert(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                               const ConvertOptions& options, ConvertObserver& observer);

}  // namespace ckpt
