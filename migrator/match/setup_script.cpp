#include "migrator/match/setup_script.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

#include "base/text.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

constexpr auto kSetupNames = std::to_array<std::string_view>({"name", "packages", "py_modules"});
constexpr auto kSetupRequires =
    std::to_array<std::string_view>({"extras_require", "install_requires", "setup_requires", "tests_require"});
constexpr auto kSetupAdds = std::to_array<std::string_view>({"append", "extend", "insert", "update"});
constexpr std::string_view kExtensionEnd = "Extension";  // CppExtension, CUDAExtension, Pybind11Extension

class SetupReader {
public:
    explicit SetupReader(const SyntaxTree& tree) : tree_(tree) {}

    SetupScript run() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            const NodeKind kind = tree_.kind(id);
            if (kind == NodeKind::assignment || kind == NodeKind::augmented_assignment)
                add_value(tree_.child(id, Field::left), tree_.child(id, Field::right));
            if (kind == NodeKind::call) read_call(id);
            if (kind == NodeKind::keyword_argument) {
                const std::string_view name = tree_.text(tree_.child(id, Field::name));
                const NodeId value = tree_.child(id, Field::value);
                if (base::contains(kSetupNames, name)) naming_.push_back(value);
                if (base::contains(kSetupRequires, name)) requiring_.push_back(value);
            }
        }
        SetupScript out;
        for (const NodeId literal : literals_in(std::move(naming_))) {
            if (auto name = string_literal_value(tree_, literal)) out.names.push_back(std::move(*name));
        }
        out.required = literals_in(std::move(requiring_));
        return out;
    }

private:
    void read_call(NodeId call) {
        const NodeId function = tree_.child(call, Field::function);
        const NodeId arguments = tree_.child(call, Field::arguments);
        if (function == kNoNode || arguments == kNoNode) return;
        const NodeList given = tree_.named_children(arguments);
        if (tree_.text(function).ends_with(kExtensionEnd) && !given.empty()) naming_.push_back(given.front());
        const bool adds = tree_.kind(function) == NodeKind::attribute &&
                          base::contains(kSetupAdds, tree_.text(tree_.child(function, Field::attribute)));
        if (!adds) return;
        for (const NodeId value : given) add_value(tree_.child(function, Field::object), value);
    }

    // x = value, x["part"] = value
    void add_value(NodeId to, NodeId value) {
        while (to != kNoNode && tree_.kind(to) == NodeKind::subscript) to = tree_.child(to, Field::value);
        if (to != kNoNode && value != kNoNode && tree_.kind(to) == NodeKind::identifier)
            values_[tree_.text(to)].push_back(value);
    }

    // What calls are given is not among them: "requirements.txt" of `read("requirements.txt")`.
    std::vector<NodeId> literals_in(std::vector<NodeId> pending) const {
        std::set<NodeId> out;
        std::set<std::string_view> followed;
        while (!pending.empty()) {
            const NodeId id = pending.back();
            pending.pop_back();
            if (id == kNoNode) continue;
            switch (tree_.kind(id)) {
                case NodeKind::string:
                case NodeKind::concatenated_string: out.insert(id); break;
                case NodeKind::identifier:
                    if (const auto found = values_.find(tree_.text(id));
                        found != values_.end() && followed.insert(tree_.text(id)).second)
                        pending.insert(pending.end(), found->second.begin(), found->second.end());
                    break;
                case NodeKind::pair: pending.push_back(tree_.child(id, Field::value)); break;
                case NodeKind::list:
                case NodeKind::tuple:
                case NodeKind::set:
                case NodeKind::dictionary:
                case NodeKind::binary_operator:
                case NodeKind::parenthesized_expression:
                case NodeKind::list_splat:
                case NodeKind::dictionary_splat:
                    for (const NodeId child : tree_.named_children(id)) pending.push_back(child);
                    break;
                default: break;
            }
        }
        return {out.begin(), out.end()};
    }

    const SyntaxTree& tree_;
    std::unordered_map<std::string_view, std::vector<NodeId>> values_;  // by variable
    std::vector<NodeId> naming_, requiring_;
};

}  // namespace

SetupScript read_setup_script(const SyntaxTree& tree) { return SetupReader(tree).run(); }

}  // namespace migrator
