// AdaptedCode: the parts of a Python file that choose between devices by themselves, the target among them: the branches
// of a question for it, not the function around them. They are the project's own work and are left alone. Private to
// this folder.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_ranges.h"
#include "migrator/python/python_file.h"

namespace migrator {

class AdaptedCode {
public:
    explicit AdaptedCode(const PythonFile& file);

    // True when code around the node already asks for the target, or the node is in the GPU's half of a pair:
    // is_cuda_available() beside is_npu_available(), cuda_accelerator.py beside npu_accelerator.py.
    bool contains(NodeId node) const;

    // Whether something in it has a word of CUDA or of the target: a name, a text.
    bool names_device(NodeId node) const;

    // Whether the text is a device, or a back end, of the target; of CUDA.
    bool names_target(NodeId string) const;
    bool names_source(NodeId string) const;
    // "npu" of "npu:0"; nullopt of what is no plain text.
    std::optional<std::string_view> device_word(NodeId string) const;
    // "npu:0" for the text "cuda:0"; nullopt for what names no device or back end of CUDA.
    std::optional<std::string> target_of(NodeId string) const;
    // Whether one of the words of a name is the target's: "use_npu".
    bool has_target_word(std::string_view name) const;
    // Whether something in the range asks for the target, or names it.
    bool mentions_target(base::ByteRange range) const;

private:
    void find_mentions();
    void find_known_questions();
    void find_alternatives();
    // The name with each word that gets another one replaced in it: "CudaStream" -> "NpuStream"; empty without any.
    std::string twin_of(std::string_view name) const;
    bool condition_mentions_target(NodeId branch) const;
    bool refuses(NodeId branch) const;
    template <class Test>
    bool any_branch(NodeId statement, Test test) const;
    bool asks_for_target(NodeId statement) const;
    bool leaves_block(NodeId statement) const;
    bool is_twin_question(NodeId statement, NodeId target) const;
    bool has_twin(NodeId definition) const;
    bool items_mention_target(NodeId list) const;
    bool entries_mention_target(NodeId dictionary, Field compared) const;
    bool display_mentions_target(NodeId display, Field compared) const;
    bool is_among_members(NodeId block, NodeId node) const;
    bool is_adapted_by(NodeId parent, NodeId child, NodeId node) const;
    Field compared_side(NodeId pair, NodeId node) const;

    const PythonFile& file_;
    const SyntaxTree& tree_;
    std::vector<std::pair<std::string, std::string>> words_;  // "cuda", "npu"
    std::vector<std::uint64_t> mentions_;                     // byte offsets, sorted
    base::ByteRanges alternatives_;                           // code beside questions for the target
    bool is_twin_file_ = false;
    mutable std::map<std::pair<NodeId, Field>, bool> displays_;  // see display_mentions_target
    mutable std::unordered_map<NodeId, bool> around_;            // whether code around the node is adapted
};

}  // namespace migrator
