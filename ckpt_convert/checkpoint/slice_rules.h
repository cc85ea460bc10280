// SliceRules: how the slices of tensor parallel ranks make up parameters, as a DeepSpeed checkpoint says it of itself.
//
//   universal_checkpoint_info
//     tp_replicated_parameter_patterns            all ranks have the same
//     parameter_to_average_patterns               nearly the same
//     parameter_with_row_parallelism_patterns     cut along the second axis; others along the first
//     parameter_with_2_sub_params_cat_dim_0       two in one, each of which is cut
//     parameter_with_sub_params                   [{patterns, shape, partition_dim}] several in one
//     sub_param_shard_widths                      {pattern: [[width]]} of these, by part and rank
//     vocabulary_parameter_patterns               with rows behind the first original_vocab_size
//     autotp_unsupported_parameter_patterns       {pattern: why it cannot be put together}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ckpt_convert/checkpoint/name_pattern.h"
#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

// How the slices of a parameter are put together.
struct SliceRule {
    enum class Kind { same, average, cut } kind = Kind::cut;
    std::size_t axis = 0;
    // Of a parameter that has several in it: how much of the axis each rank has, by part; empty: there is one part.
    std::vector<std::vector<std::uint64_t>> widths = {};
    std::optional<std::uint64_t> rows = {};  // that the whole has
};

class SliceRules {
public:
    // Fails with bad_input where the table is damaged, with unsupported where it is not there or has patterns that are not understood.
    static Result<SliceRules> read(const ZeroFiles& files, const OpenedFile& model);

    // `shapes`: of the slices, by rank.
    Result<SliceRule> rule(const std::string& name, const std::vector<Shape>& shapes) const;

private:
    // Patterns in a list, each of which says the number that it stands for.
    struct Patterns {
        std::unordered_map<std::string, std::size_t> names;
        std::vector<std::pair<NamePattern, std::size_t>> others;
        std::optional<std::size_t> find(const std::string& name) const;
    };
    struct Parts {
        std::size_t axis = 0;
        std::vector<std::uint64_t> sizes;                // of one: how many there are
        std::size_t axes = 0;                            // of the shape that it is told in
        std::vector<std::vector<std::uint64_t>> widths;  // empty: not told
    };

    explicit SliceRules(const ZeroFiles& files, const OpenedFile& model) : files_(&files), model_(model) {}
    tl::unexpected<base::Error> damaged(const char* key) const;
    Status read_list(pickle::Ref info, const char* key, Patterns& out) const;
    Status add_pattern(pickle::Ref pattern, const char* key, std::size_t number, Patterns& out) const;
    Status read_parts(pickle::Ref info);
    Status read_part(pickle::Ref one, pickle::Ref widths);
    Result<std::vector<std::vector<std::uint64_t>>> widths_of(const Parts& parts, const std::string& name,
                                                              const std::vector<Shape>& shapes) const;

    const ZeroFiles* files_;
    OpenedFile model_;
    Patterns same_, average_, second_axis_, pairs_, vocabulary_, refused_, with_parts_;
    std::vector<Parts> parts_;
    std::vector<std::string> reasons_;  // of the refused
    std::optional<std::uint64_t> vocabulary_size_;
};

}  // namespace ckpt
