#include "migrator/semantic/lazy_names.h"

#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

constexpr std::string_view kAsked = "__getattr__";
constexpr std::string_view kReplaced = "sys.modules[";

// Whether the name stands outside classes: def __getattr__(name), __getattr__, rest = attach(...).
bool answers_itself(const SyntaxTree& tree, NodeId id) {
    const NodeKind kind = tree.kind(id);
    if (kind == NodeKind::assignment) return tree.text(tree.child(id, Field::left)).starts_with(kReplaced);
    return kind == NodeKind::identifier && tree.text(id) == kAsked &&
           tree.ancestor(id, NodeKind::class_definition) == kNoNode;
}

bool is_lazy(const SyntaxTree& tree) {
    const std::string_view text = tree.source();
    if (text.find(kAsked) == text.npos && text.find(kReplaced) == text.npos) return false;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (answers_itself(tree, id)) return true;
    }
    return false;
}

class Tables {
public:
    explicit Tables(const SyntaxTree& tree) : tree_(tree) {}

    std::vector<LazyName> run() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::pair) add(tree_.child(id, Field::key), tree_.child(id, Field::value));
            if (tree_.kind(id) != NodeKind::assignment) continue;
            const NodeId left = tree_.child(id, Field::left);
            if (tree_.kind(left) == NodeKind::subscript)
                add(tree_.child(left, Field::subscript), tree_.child(id, Field::right));
        }
        return std::move(out_);
    }

private:
    void add(NodeId key, NodeId value) {
        if (key == kNoNode || value == kNoNode) return;
        const auto text = string_literal_value(tree_, key);
        if (!text) return;
        if (const auto module = string_literal_value(tree_, value)) return add_module_of(*text, *module, *text);
        const NodeKind kind = tree_.kind(value);
        if (kind != NodeKind::list && kind != NodeKind::tuple && kind != NodeKind::set) return;
        std::vector<std::string> names;
        for (const NodeId one : tree_.named_children(value)) {
            if (auto name = string_literal_value(tree_, one)) names.push_back(std::move(*name));
        }
        for (const std::string& name : names) out_.push_back({name, "." + *text + "." + name});
        // "Net": ("pkg.train", "Net")
        if (kind == NodeKind::tuple && names.size() == 2) add_module_of(*text, names[0], names[1]);
    }

    // "pkg.train", ".train", "train", "pkg.train:Net"
    void add_module_of(const std::string& name, std::string module, const std::string& member) {
        if (const std::size_t colon = module.find(':'); colon != module.npos) module.resize(colon);
        if (module.empty()) return;
        out_.push_back({name, module + "." + member});
        if (module.front() != '.') out_.push_back({name, "." + module + "." + member});
    }

    const SyntaxTree& tree_;
    std::vector<LazyName> out_;
};

}  // namespace

std::vector<LazyName> lazy_names(const SyntaxTree& tree, const std::vector<ImportedName>& imports) {
    if (!is_lazy(tree)) return {};
    std::vector<LazyName> out = Tables(tree).run();
    for (const ImportedName& import : imports) {
        if (import.type_checking_only) out.push_back({import.bound_name, import.qualified()});
    }
    return out;
}

}  // namespace migrator
