#include "ckpt_convert/formats/pickle/writer.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "base/check.h"
#include "ckpt_convert/formats/pickle/integers.h"
#include "ckpt_convert/formats/pickle/interner.h"
#include "ckpt_convert/formats/pickle/opcodes.h"

namespace ckpt::pickle {
namespace {

// As CPython: bounds the stack of whoever loads the pickle.
constexpr std::size_t kBatch = 1000;

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

// The writing of a value is a list of steps; a walk keeps the steps still to be done on its own stack, so that depth
// costs memory and not the program's stack.
struct Step {
    enum class Kind {
        value,  // `ref`
        text,   // a view of an ASCII constant: opcodes
        store,  // `ref` is complete: memoise it if it is used again
        close,  // the parts of `ref` that must exist before it are done
    };
    Kind kind = Kind::value;
    Ref ref = nullptr;
    std::string_view text;
};

constexpr std::string_view kSetGlobal = "c__builtin__\nset\n";
constexpr std::string_view kEncodeGlobal = "c_codecs\nencode\n";

// Collects the steps of one value, first to last.
class Steps {
public:
    void value(Ref ref) { steps_.push_back({Step::Kind::value, ref, {}}); }
    void text(std::string_view opcodes) { steps_.push_back({Step::Kind::text, nullptr, opcodes}); }
    void store(Ref ref) { steps_.push_back({Step::Kind::store, ref, {}}); }
    void close(Ref ref) { steps_.push_back({Step::Kind::close, ref, {}}); }

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
    std::vector<Step> take() && { return std::move(steps_); }

private:
    std::vector<Step> steps_;
};

// The steps of a value made of others. Lists, dicts and objects are stored before what is put into them, so that it may
// refer back to them, as Python does.
struct StepsOf {
    Ref self;

    template <class Scalar>
    std::vector<Step> operator()(const Scalar&) const {
        return {};
    }
    std::vector<Step> operator()(const List& list) const {
        Steps steps;
        steps.text("]");
        steps.store(self);
        steps.batches(list.items, "e");
        return std::move(steps).take();
    }
    std::vector<Step> operator()(const Dict& dict) const {
        Steps steps;
        steps.text("}");
        steps.store(self);
        steps.batches(dict.items);
        return std::move(steps).take();
    }
    std::vector<Step> operator()(const Tuple& tuple) const {
        static constexpr std::string_view kShort[] = {")", "\x85", "\x86", "\x87"};
        Steps steps;
        std::size_t count = tuple.items.size();
        if (count > 3) steps.text("(");
        steps.values(tuple.items);
        steps.close(self);
        steps.text(count > 3 ? "t" : kShort[count]);
        if (count > 0) steps.store(self);
        return std::move(steps).take();
    }
    std::vector<Step> operator()(const Set& set) const {
        Steps steps;
        steps.text(kSetGlobal);
        steps.text("]");
        steps.batches(set.items, "e");
        steps.close(self);
        steps.text("\x85R");
        steps.store(self);
        return std::move(steps).take();
    }
    std::vector<Step> operator()(const PersistentId& persistent) const {
        Steps steps;
        steps.value(persistent.id);
        steps.close(self);
        steps.text("Q");
        steps.store(self);
        return std::move(steps).take();
    }
    std::vector<Step> operator()(const Object& object) const {
        Steps steps;
        steps.value(object.callable);
        steps.value(object.args);
        steps.close(self);
        steps.text(object.is_new ? "\x81" : "R");
        steps.store(self);
        steps.batches(object.appended, "e");
        steps.batches(object.items);
        if (object.state != nullptr) {
            steps.value(object.state);
            steps.text("b");
        }
        return std::move(steps).take();
    }
};

// Walks the graph below a root twice: to count uses and look for cycles, and to write.
class Writer {
public:
    // False: there is a cycle that cannot be written.
    bool count(Ref root);
    std::string write(Ref root);

private:
    struct Use {
        std::uint64_t count = 0;
        bool open = false;  // on the way down from the root and not yet able to be referred to
        std::optional<std::uint32_t> number;
    };

    // One value for equal content.
    Ref canonical(Ref value);
    static bool has_identity(const Value& value);
    static void push_steps(std::vector<Step>& todo, Ref ref);
    void write_value(std::vector<Step>& todo, Ref ref);
    bool write_scalar(const Value& value);
    void write_integer(std::int64_t value);
    void write_long(const std::string& little_endian);
    void write_text(std::string_view text);
    void write_bytes(const Bytes& bytes);
    void store(Ref ref);

    std::string out_;
    Interner interner_;
    std::unordered_map<std::string, Ref> globals_;  // by "module name"
    std::unordered_map<Ref, Use> uses_;
    std::uint32_t next_number_ = 0;
};

Ref Writer::canonical(Ref value) {
    if (const Global* global = value->as<Global>())
        return globals_.try_emplace(global->module + " " + global->name, value).first->second;
    return interner_.canonical(value);
}

// Python does not tell copies of the others apart, and they are as short as a reference.
bool Writer::has_identity(const Value& value) {
    if (const Tuple* tuple = value.as<Tuple>()) return !tuple->items.empty();
    return value.as<None>() == nullptr && value.as<bool>() == nullptr && value.as<std::int64_t>() == nullptr &&
           value.as<double>() == nullptr;
}

void Writer::push_steps(std::vector<Step>& todo, Ref ref) {
    std::vector<Step> steps = std::visit(StepsOf{ref}, ref->variant);
    todo.insert(todo.end(), steps.rbegin(), steps.rend());
}

bool Writer::count(Ref root) {
    std::vector<Step> todo{{Step::Kind::value, root, {}}};
    while (!todo.empty()) {
        Step step = todo.back();
        todo.pop_back();
        if (step.kind == Step::Kind::close || step.kind == Step::Kind::store) uses_[step.ref].open = false;
        if (step.kind != Step::Kind::value) continue;
        Ref ref = canonical(step.ref);
        if (!has_identity(*ref)) continue;
        Use& use = uses_[ref];
        if (use.open) return false;
        if (++use.count > 1) continue;
        std::size_t before = todo.size();
        push_steps(todo, ref);
        use.open = todo.size() > before;
    }
    return true;
}

std::string Writer::write(Ref root) {
    out_ = {op::kProto, 2};
    std::vector<Step> todo{{Step::Kind::value, root, {}}};
    while (!todo.empty()) {
        Step step = todo.back();
        todo.pop_back();
        switch (step.kind) {
            case Step::Kind::value: write_value(todo, canonical(step.ref)); break;
            case Step::Kind::text: out_ += step.text; break;
            case Step::Kind::store: store(step.ref); break;
            case Step::Kind::close: break;
        }
    }
    out_ += op::kStop;
    return std::move(out_);
}

void Writer::write_value(std::vector<Step>& todo, Ref ref) {
    if (auto use = uses_.find(ref); use != uses_.end() && use->second.number) {
        std::uint32_t number = *use->second.number;
        out_ += number < 256 ? op::kBinGet : op::kLongBinGet;
        append_little_endian(out_, number, number < 256 ? 1 : 4);
    } else if (write_scalar(*ref)) {
        store(ref);
    } else {
        push_steps(todo, ref);
    }
}

// Memoises what has just been written if it will be needed again.
void Writer::store(Ref ref) {
    auto use = uses_.find(ref);
    if (use == uses_.end() || use->second.count < 2) return;
    CHECK(next_number_ < UINT32_MAX);
    std::uint32_t number = next_number_++;
    use->second.number = number;
    out_ += number < 256 ? op::kBinPut : op::kLongBinPut;
    append_little_endian(out_, number, number < 256 ? 1 : 4);
}

bool Writer::write_scalar(const Value& value) {
    if (value.as<None>() != nullptr) {
        out_ += op::kNone;
    } else if (const bool* flag = value.as<bool>()) {
        out_ += *flag ? op::kNewTrue : op::kNewFalse;
    } else if (const std::int64_t* integer = value.as<std::int64_t>()) {
        write_integer(*integer);
    } else if (const BigInteger* big = value.as<BigInteger>()) {
        write_long(shortest_bytes(big->little_endian));
    } else if (const double* real = value.as<double>()) {
        out_ += op::kBinFloat;
        auto bits = std::bit_cast<std::uint64_t>(*real);
        for (int i = 8; i-- > 0;) out_ += static_cast<char>(bits >> (8 * i) & 0xFF);
    } else if (const std::string* text = value.as<std::string>()) {
        write_text(*text);
    } else if (const Bytes* bytes = value.as<Bytes>()) {
        write_bytes(*bytes);
    } else if (const Global* global = value.as<Global>()) {
        CHECK((global->module + global->name).find('\n') == std::string::npos);
        out_ += op::kGlobal + global->module + "\n" + global->name + "\n";
    } else {
        return false;
    }
    return true;
}

void Writer::write_integer(std::int64_t value) {
    if (value >= 0 && value < 256) {
        out_ += op::kBinInt1;
        append_little_endian(out_, static_cast<std::uint64_t>(value), 1);
    } else if (value >= 0 && value < 65536) {
        out_ += op::kBinInt2;
        append_little_endian(out_, static_cast<std::uint64_t>(value), 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        out_ += op::kBinInt;
        append_little_endian(out_, static_cast<std::uint64_t>(value), 4);
    } else {
        write_long(shortest_bytes(value));
    }
}

void Writer::write_long(const std::string& little_endian) {
    CHECK(little_endian.size() <= UINT32_MAX);
    // Integers of more than 2040 bits have no opcode that weights_only accepts; the longer one is all there is.
    bool is_short = little_endian.size() < 256;
    out_ += is_short ? op::kLong1 : op::kLong4;
    append_little_endian(out_, little_endian.size(), is_short ? 1 : 4);
    out_ += little_endian;
}

void Writer::write_text(std::string_view text) {
    CHECK(text.size() <= UINT32_MAX);
    out_ += op::kBinUnicode;
    append_little_endian(out_, text.size(), 4);
    out_ += text;
}

// Protocol 2 has no bytes: Python writes a call of _codecs.encode(the bytes as Latin-1 text, "latin1").
void Writer::write_bytes(const Bytes& bytes) {
    std::string text;
    text.reserve(bytes.data.size());
    for (char c : bytes.data) {
        auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
        text += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
    }
    out_ += kEncodeGlobal;
    write_text(text);
    write_text("latin1");
    out_ += op::kTuple2;
    out_ += op::kReduce;
}

}  // namespace

std::string write(Ref root) {
    Writer writer;
    CHECK(writer.count(root));
    return writer.write(root);
}

bool is_writable(Ref root) { return Writer().count(root); }

}  // namespace ckpt::pickle
