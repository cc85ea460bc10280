#include "migrator/operators/graph_reader.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "base/json.h"
#include "base/zip_reader.h"
#include "migrator/operators/operator_totals.h"

namespace migrator {
namespace {

constexpr std::string_view kGraphMembers[] = {"/models/model.json", "serialized_exported_program.json"};
constexpr base::JsonLimits kGraphJson{.max_depth = 512, .python_numbers = true};
constexpr std::string_view kOperators = "torch.ops.";

// A text as the file that the reader of archives asks for.
class ArchiveText final : public base::ReadableFile {
public:
    ArchiveText(std::string_view text, base::Path path) : text_(text), path_(std::move(path)) {}
    std::uint64_t size() const override { return text_.size(); }
    const base::Path& path() const override { return path_; }
    base::Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        if (offset > text_.size() || text_.size() - offset < out.size())
            return base::fail(base::ErrorKind::bad_input, "the file ends before", path_);
        std::memcpy(out.data(), text_.data() + offset, out.size());
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    std::string_view text_;
    base::Path path_;
};

bool is_graph(std::string_view member) {
    return std::any_of(std::begin(kGraphMembers), std::end(kGraphMembers),
                       [&](std::string_view end) { return member.ends_with(end); });
}

// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor"
std::string operator_name(std::string_view target) {
    target.remove_prefix(kOperators.size());
    const std::size_t dot = target.find('.');
    if (dot == target.npos) return std::string(target);
    return std::string(target.substr(0, dot)) + "::" + std::string(target.substr(dot + 1));
}

// The tensors that a node takes, as the graph describes them.
std::vector<const base::Json*> tensors_of(const base::Json& node, const base::Json* described) {
    std::vector<const base::Json*> out;
    const base::Json* inputs = node.find("inputs");
    if (described == nullptr || inputs == nullptr || inputs->array() == nullptr) return out;
    for (const base::Json& input : *inputs->array()) {
        const base::Json* named = input.find_path("arg.as_tensor.name");
        if (named == nullptr || named->string() == nullptr) continue;
        if (const base::Json* tensor = described->find(*named->string())) out.push_back(tensor);
    }
    return out;
}

// The dtype is that of the first tensor that has one.
InputOperator operator_of(const std::string& target, const std::vector<const base::Json*>& tensors,
                          const ChipsFile& chips) {
    InputOperator out{operator_name(target), {}, 0, 1};
    for (const base::Json* tensor : tensors) {
        const base::Json* dtype = tensor->find("dtype");
        if (out.dtype.empty() && dtype != nullptr && dtype->integer() != nullptr) {
            const auto found = chips.graph_dtypes.find(std::to_string(*dtype->integer()));
            if (found != chips.graph_dtypes.end()) out.dtype = found->second;
        }
        const base::Json* sizes = tensor->find("sizes");
        if (sizes != nullptr && sizes->array() != nullptr)
            out.dimensions = std::max<std::uint64_t>(out.dimensions, sizes->array()->size());
    }
    return out;
}

// Branches and loops of a graph are graphs in its nodes.
void add_graphs(const base::Json& root, const ChipsFile& chips, OperatorTotals& totals) {
    std::vector<const base::Json*> open{&root};
    while (!open.empty()) {
        const base::Json& value = *open.back();
        open.pop_back();
        if (const auto* list = value.array()) {
            for (const base::Json& item : *list) open.push_back(&item);
        }
        if (value.object() == nullptr) continue;
        for (const auto& [key, item] : *value.object()) open.push_back(&item);
        const base::Json* nodes = value.find("nodes");
        if (nodes == nullptr || nodes->array() == nullptr) continue;
        for (const base::Json& node : *nodes->array()) {
            const base::Json* target = node.find("target");
            if (target == nullptr || target->string() == nullptr || !target->string()->starts_with(kOperators))
                continue;
            totals.add(operator_of(*target->string(), tensors_of(node, value.find("tensor_values")), chips));
        }
    }
}

}  // namespace

base::Result<OperatorInput> read_graph(std::string_view archive, const std::string& name, const ChipsFile& chips) {
    ArchiveText file(archive, name);
    TRY_ASSIGN(const auto members, base::read_zip_directory(file));
    OperatorInput out;
    OperatorTotals totals;
    bool has_graph = false;
    for (const base::ZipMember& member : members) {
        if (!is_graph(member.name)) continue;
        has_graph = true;
        TRY_ASSIGN(const base::JsonDocument graph, base::parse_json(archive.substr(member.offset, member.bytes),
                                                                    name + ": " + member.name, kGraphJson));
        add_graphs(graph.root, chips, totals);
    }
    if (!has_graph)
        return base::fail(
            base::ErrorKind::unsupported,
            "this archive holds no graph of torch.export; save one with torch.export.save(program, \"model.pt2\")",
            name);
    out.kind = "graph";
    out.operators = std::move(totals).take();
    return out;
}

}  // namespace migrator
