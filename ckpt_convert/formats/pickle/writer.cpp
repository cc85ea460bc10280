#include "ckpt_convert/formats/pickle/writer.h"

#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/check.h"
#include "ckpt_convert/formats/pickle/opcodes.h"
#include "ckpt_convert/formats/pickle/pointer_map.h"
#include "ckpt_convert/formats/pickle/scalar_writer.h"
#include "ckpt_convert/formats/pickle/write_steps.h"

namespace ckpt::pickle {
namespace {

// Walks the graph below a root twice: to count uses and look for cycles, and to write.
class Writer {
public:
    // False: there is a cycle that cannot be written.
    bool count(Ref root);
    std::string write(Ref root);

private:
    // A value with identity; strings and globals of equal content are one.
    struct Node {
        std::uint64_t uses = 0;
        bool open = false;  // on the way down from the root and not yet able to be referred to
        std::optional<std::uint32_t> number;
    };

    static bool has_identity(const Value& value);
    std::uint32_t node_of(Ref value);
    std::uint32_t node_of_content(const Value& value);
    void write_value(std::vector<WriteStep>& todo, Ref value);
    void store(Node& node);
    void append_number(char short_opcode, char long_opcode, std::uint32_t number);

    std::string out_;
    std::vector<Node> nodes_;
    PointerMap<std::uint32_t> by_value_;
    std::unordered_map<std::string_view, std::uint32_t> by_text_;
    std::unordered_map<std::string, std::uint32_t> by_global_;  // by "module name"
    std::uint32_t next_number_ = 0;
};

// Python does not tell copies of the others apart, and they are as short as a reference.
bool Writer::has_identity(const Value& value) {
    if (const Tuple* tuple = value.as<Tuple>()) return !tuple->items.empty();
    return value.as<None>() == nullptr && value.as<bool>() == nullptr && value.as<std::int64_t>() == nullptr &&
           value.as<double>() == nullptr;
}

// Looks at the content of a value only when it is seen first.
std::uint32_t Writer::node_of(Ref value) {
    auto [node, is_new] = by_value_.insert(value, 0);
    if (is_new) *node = node_of_content(*value);
    return *node;
}

std::uint32_t Writer::node_of_content(const Value& value) {
    CHECK(nodes_.size() < UINT32_MAX);
    auto next = static_cast<std::uint32_t>(nodes_.size());
    std::uint32_t node = next;
    if (const std::string* text = value.as<std::string>()) {
        node = by_text_.try_emplace(*text, next).first->second;
    } else if (const Global* global = value.as<Global>()) {
        node = by_global_.try_emplace(global->module + " " + global->name, next).first->second;
    }
    if (node == next) nodes_.emplace_back();
    return node;
}

bool Writer::count(Ref root) {
    std::vector<WriteStep> todo{{WriteStep::Kind::value, 0, root, {}}};
    while (!todo.empty()) {
        WriteStep step = todo.back();
        todo.pop_back();
        if (step.kind == WriteStep::Kind::close || step.kind == WriteStep::Kind::store) nodes_[step.node].open = false;
        if (step.kind != WriteStep::Kind::value || !has_identity(*step.ref)) continue;
        std::uint32_t number = node_of(step.ref);
        Node& node = nodes_[number];
        if (node.open) return false;
        if (++node.uses > 1) continue;
        std::size_t before = todo.size();
        push_steps(todo, step.ref, number);
        node.open = todo.size() > before;
    }
    return true;
}

std::string Writer::write(Ref root) {
    out_ = {op::kProto, 2};
    std::vector<WriteStep> todo{{WriteStep::Kind::value, 0, root, {}}};
    while (!todo.empty()) {
        WriteStep step = todo.back();
        todo.pop_back();
        switch (step.kind) {
            case WriteStep::Kind::value: write_value(todo, step.ref); break;
            case WriteStep::Kind::text: out_ += step.text; break;
            case WriteStep::Kind::store: store(nodes_[step.node]); break;
            case WriteStep::Kind::close: break;
        }
    }
    out_ += op::kStop;
    return std::move(out_);
}

void Writer::write_value(std::vector<WriteStep>& todo, Ref value) {
    if (!has_identity(*value)) {
        if (!append_scalar(out_, *value)) out_ += op::kEmptyTuple;
        return;
    }
    std::uint32_t number = node_of(value);
    Node& node = nodes_[number];
    if (node.number) {
        append_number(op::kBinGet, op::kLongBinGet, *node.number);
    } else if (append_scalar(out_, *value)) {
        store(node);
    } else {
        push_steps(todo, value, number);
    }
}

// Memoises what has just been written if it will be needed again.
void Writer::store(Node& node) {
    if (node.uses < 2) return;
    CHECK(next_number_ < UINT32_MAX);
    node.number = next_number_++;
    append_number(op::kBinPut, op::kLongBinPut, *node.number);
}

void Writer::append_number(char short_opcode, char long_opcode, std::uint32_t number) {
    bool is_short = number < 256;
    out_ += is_short ? short_opcode : long_opcode;
    append_little_endian(out_, number, is_short ? 1 : 4);
}

}  // namespace

std::string write(Ref root) {
    std::optional<std::string> out = try_write(root);
    CHECK(out.has_value());
    return std::move(*out);
}

std::optional<std::string> try_write(Ref root) {
    Writer writer;
    if (!writer.count(root)) return std::nullopt;
    return writer.write(root);
}

}  // namespace ckpt::pickle
