#include "ckpt_convert/formats/pickle/machine.h"

#include "base/format.h"
#include "ckpt_convert/formats/pickle/opcodes.h"

namespace ckpt::pickle {
namespace {

constexpr unsigned kNewestProtocol = 5;

std::size_t row(char opcode) { return static_cast<unsigned char>(opcode); }

}  // namespace

Machine::Machine(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept, const Limits& limits)
    : reader_(reader), arena_(arena), accept_(accept), limits_(limits) {
    none_ = arena.make(None{});
    true_ = arena.make(true);
    false_ = arena.make(false);
    empty_tuple_ = arena.make(Tuple{});
}

Machine::Handlers Machine::make_handlers() {
    Handlers handlers;
    handlers.fill(&Machine::unknown);
    handlers[row(op::kProto)] = &Machine::proto;
    handlers[row(op::kFrame)] = &Machine::frame;
    handlers[row(op::kMark)] = &Machine::mark;
    handlers[row(op::kPop)] = &Machine::pop_one;
    handlers[row(op::kPopMark)] = &Machine::pop_mark;
    handlers[row(op::kDup)] = &Machine::dup;
    handlers[row(op::kGet)] = &Machine::get;
    handlers[row(op::kBinGet)] = &Machine::bin_get<1>;
    handlers[row(op::kLongBinGet)] = &Machine::bin_get<4>;
    handlers[row(op::kPut)] = &Machine::put;
    handlers[row(op::kBinPut)] = &Machine::bin_put<1>;
    handlers[row(op::kLongBinPut)] = &Machine::bin_put<4>;
    handlers[row(op::kMemoize)] = &Machine::memoize;
    add_scalar_handlers(handlers);
    add_object_handlers(handlers);
    // They import through registries, build old-style instances or need memory from outside the file.
    for (char opcode : {op::kInst, op::kObj, op::kExt1, op::kExt2, op::kExt4, op::kNextBuffer, op::kReadOnlyBuffer}) {
        handlers[row(opcode)] = &Machine::refuse;
    }
    return handlers;
}

Result<Ref> Machine::run() {
    static const Handlers kHandlers = make_handlers();
    for (std::uint64_t opcodes = 0;; ++opcodes) {
        if (opcodes == limits_.max_opcodes)
            return error(base::format("the pickle has more than {} opcodes", limits_.max_opcodes));
        if (reader_.at_end()) return error("the pickle ends without STOP; was the file cut off?");
        TRY_ASSIGN(opcode_, reader_.u8());
        if (opcode_ == row(op::kStop)) break;
        TRY((this->*kHandlers[opcode_])());
    }
    if (stack_.size() != 1 || !marks_.empty()) {
        return error(base::format("the pickle leaves {} values at STOP, not one", stack_.size() + marks_.size()));
    }
    return stack_.back();
}

Status Machine::push(Value* value) {
    if (stack_.size() + marks_.size() >= limits_.max_stack) {
        return error(base::format("the pickle needs a stack of more than {} values", limits_.max_stack));
    }
    stack_.push_back(value);
    return {};
}

Status Machine::push_new(Value::Variant value) {
    TRY(charge(1));
    return push(arena_.make(std::move(value)));
}

Status Machine::charge(std::uint64_t values) {
    if (values > limits_.max_values - values_made_)
        return error(base::format("the pickle makes more than {} values", limits_.max_values));
    values_made_ += values;
    return {};
}

Result<Value*> Machine::pop() {
    TRY_ASSIGN(Value * value, top());
    stack_.pop_back();
    return value;
}

Result<Value*> Machine::top() {
    // What is below the last mark belongs to an opcode that has yet to come.
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back()))
        return error("the pickle takes more values from its stack than there are");
    return stack_.back();
}

Result<std::vector<Value*>> Machine::pop_to_mark() {
    if (marks_.empty()) return error("the pickle takes values up to a mark that is not there");
    auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Value*> values(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
}

tl::unexpected<base::Error> Machine::error(std::string message) const {
    return base::fail(ErrorKind::bad_input, std::move(message), reader_.where());
}

tl::unexpected<base::Error> Machine::unsupported(std::string message) const {
    return base::fail(ErrorKind::unsupported, std::move(message), reader_.where());
}

Status Machine::unknown() { return error(base::format("{:#04x} is not a pickle opcode", opcode_)); }

Status Machine::refuse() {
    return unsupported(
        base::format("the pickle opcode {:#04x} has no place in a checkpoint; nothing was executed", opcode_));
}

Status Machine::proto() {
    TRY_ASSIGN(std::uint8_t protocol, reader_.u8());
    if (protocol > kNewestProtocol)
        return error(base::format("pickle protocol {} is not known; the newest is {}", protocol, kNewestProtocol));
    return {};
}

// Frames only tell a reader how much to fetch at once.
Status Machine::frame() {
    TRY_ASSIGN(std::uint64_t bytes, reader_.u64());
    if (bytes > reader_.remaining())
        return error(base::format("a frame of {} bytes, but {} are left", bytes, reader_.remaining()));
    return {};
}

Status Machine::mark() {
    if (stack_.size() + marks_.size() >= limits_.max_stack) {
        return error(base::format("the pickle needs a stack of more than {} values", limits_.max_stack));
    }
    marks_.push_back(stack_.size());
    return {};
}

Status Machine::pop_one() {
    if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
        return {};
    }
    TRY(pop());
    return {};
}

Status Machine::pop_mark() {
    TRY(pop_to_mark());
    return {};
}

Status Machine::dup() {
    TRY_ASSIGN(Value * value, top());
    return push(value);
}

Status Machine::get() {
    TRY_ASSIGN(std::uint64_t number, decimal_number());
    return fetch(number);
}

Status Machine::put() {
    TRY_ASSIGN(std::uint64_t number, decimal_number());
    return store(number);
}

Status Machine::memoize() { return store(memo_.size()); }

template <int kBytes>
Status Machine::bin_get() {
    TRY_ASSIGN(std::uint64_t number, unsigned_number<kBytes>());
    return fetch(number);
}

template <int kBytes>
Status Machine::bin_put() {
    TRY_ASSIGN(std::uint64_t number, unsigned_number<kBytes>());
    return store(number);
}

Status Machine::fetch(std::uint64_t number) {
    Value* value = memo_.get(number);
    if (value == nullptr) return error(base::format("the pickle refers to value {}, which it has not stored", number));
    return push(value);
}

Status Machine::store(std::uint64_t number) {
    TRY_ASSIGN(Value * value, top());
    if (memo_.size() >= limits_.max_memo && memo_.get(number) == nullptr) {
        return error(base::format("the pickle stores more than {} values for later", limits_.max_memo));
    }
    memo_.put(number, value);
    return {};
}

}  // namespace ckpt::pickle
