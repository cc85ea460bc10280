#include "ckpt_convert/formats/pickle/write_steps.h"

#include <algorithm>
#include <cstddef>

namespace ckpt::pickle {
namespace {

// As CPython: bounds the stack of whoever loads the pickle.
constexpr std::size_t kBatch = 1000;

constexpr std::string_view kSetGlobal = "c__builtin__\nset\n";

// Appends the steps of one value, first to last.
class Steps {
public:
    Steps(std::vector<WriteStep>& todo, std::uint32_t node) : todo_(todo), node_(node) {}

    void value(Ref ref) { todo_.push_back({WriteStep::Kind::value, 0, ref, {}}); }
    void text(std::string_view opcodes) { todo_.push_back({WriteStep::Kind::text, 0, nullptr, opcodes}); }
    void store() { todo_.push_back({WriteStep::Kind::store, node_, nullptr, {}}); }
    void close() { todo_.push_back({WriteStep::Kind::close, node_, nullptr, {}}); }

    void values(const std::vector<Ref>& items) {
        for (Ref item : items) value(item);
    }
    // MARK item... OPCODE, in batches.
    void batches(const std::vector<Ref>& items, std::string_view opcode) {
        for (std::size_t i = 0; i < items.size(); i += kBatch) {
            text("(");
            for (std::size_t j = i; j < std::min(i + kBatch, items.size()); ++j) value(items[j]);
            text(opcode);
        }
    }
    void batches(const std::vector<std::pair<Ref, Ref>>& items) {
        for (std::size_t i = 0; i < items.size(); i += kBatch) {
            text("(");
            for (std::size_t j = i; j < std::min(i + kBatch, items.size()); ++j) {
                value(items[j].first);
                value(items[j].second);
            }
            text("u");
        }
    }

private:
    std::vector<WriteStep>& todo_;
    std::uint32_t node_;
};

// Lists, dicts and objects are stored before what is put into them, so that it may refer back to them, as in Python.
struct StepsOf {
    Steps steps;

    template <class Scalar>
    void operator()(const Scalar&) {}
    template <class T>
    void operator()(const Boxed<T>& boxed) {
        (*this)(*boxed);
    }
    void operator()(const List& list) {
        steps.text("]");
        steps.store();
        steps.batches(list.items, "e");
    }
    void operator()(const Dict& dict) {
        steps.text("}");
        steps.store();
        steps.batches(dict.items);
    }
    // The empty tuple never comes here: it has an opcode of its own.
    void operator()(const Tuple& tuple) {
        static constexpr std::string_view kShort[] = {"", "\x85", "\x86", "\x87"};
        std::size_t count = tuple.items.size();
        if (count > 3) steps.text("(");
        steps.values(tuple.items);
        steps.close();
        steps.text(count > 3 ? "t" : kShort[count]);
        steps.store();
    }
    void operator()(const Set& set) {
        steps.text(kSetGlobal);
        steps.text("]");
        steps.batches(set.items, "e");
        steps.close();
        steps.text("\x85R");
        steps.store();
    }
    void operator()(const PersistentId& persistent) {
        steps.value(persistent.id);
        steps.close();
        steps.text("Q");
        steps.store();
    }
    void operator()(const Object& object) {
        steps.value(object.callable);
        steps.value(object.args);
        steps.close();
        steps.text(object.is_new ? "\x81" : "R");
        steps.store();
        steps.batches(object.appended, "e");
        steps.batches(object.items);
        if (object.state != nullptr) {
            steps.value(object.state);
            steps.text("b");
        }
    }
};

}  // namespace

void push_steps(std::vector<WriteStep>& todo, Ref ref, std::uint32_t node) {
    std::size_t before = todo.size();
    std::visit(StepsOf{Steps(todo, node)}, ref->variant);
    std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(before), todo.end());
}

}  // namespace ckpt::pickle
