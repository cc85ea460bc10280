// Dialect: whose tensor names a Megatron checkpoint has: the framework, its version, its layers, its file format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// A version of megatron-core; the patch number never changes a name.
struct CoreVersion {
    int major = 0;
    int minor = 0;
    auto operator<=>(const CoreVersion&) const = default;

    // "0.12", "0.12.1", "core_v0.12.1". Fails with `kind`.
    static Result<CoreVersion> parse(std::string_view text, ErrorKind kind, const std::string& where);
    std::string text() const;
};

struct Dialect {
    std::string target;  // a file of rules/targets/
    CoreVersion core{0, 12};
    std::string layers = "local";  // "local": Megatron's own layers, "te": Transformer Engine's, which fuse the norms
    bool torch_dist = false;       // torch_dist has names of its own, without ranks
    bool grouped = false;          // the experts of a rank are one module, as --moe-grouped-gemm makes them
    bool mla_split = false;        // up projections of latent attention in parts, as --mla-mm-split makes them

    bool operator==(const Dialect&) const = default;
    std::string text() const;  // "mindspeed, local layers"
};

// The dialects that a line of a mapping file is for: words that must all hold.
//   ""  all       "te", "local"  the layers       "mcore", "mindspeed"  the target
//   "torch_dist", "rank_files"  the format        "grouped", "sequential"  the experts
//   "mla_split", "mla_whole"  the up projections of latent attention
//   "core>=0.14", "core<0.14"  versions of megatron-core
class DialectSelector {
public:
    // Fails with rule_data.
    static Result<DialectSelector> parse(std::string_view text, const std::string& where);

    bool matches(const Dialect& dialect) const;
    const std::string& text() const { return text_; }
    // True when it is for torch_dist alone.
    bool is_torch_dist() const { return torch_dist_.value_or(false); }
    // What must exist in rules/targets/.
    const std::string& target() const { return target_; }
    // Versions at which the answer may change.
    const std::vector<CoreVersion>& boundaries() const { return boundaries_; }

private:
    std::string text_;
    std::string target_;
    std::string layers_;
    std::optional<bool> torch_dist_;
    std::optional<bool> grouped_;
    std::optional<bool> mla_split_;
    std::vector<CoreVersion> at_least_;
    std::vector<CoreVersion> below_;
    std::vector<CoreVersion> boundaries_;
};

}  // namespace ckpt
