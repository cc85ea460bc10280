// Machine: the stack machine that a pickle is a program for, with every effect replaced by a record of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_reader.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/item_index.h"
#include "ckpt_convert/formats/pickle/memo.h"
#include "ckpt_convert/formats/pickle/reader.h"

namespace ckpt::pickle {

class Machine {
public:
    Machine(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept, const Limits& limits);

    // Runs to STOP and returns what is left on the stack.
    Result<Ref> run();

private:
    using Handler = Status (Machine::*)();
    using Handlers = std::array<Handler, 256>;
    static Handlers make_handlers();
    static void add_scalar_handlers(Handlers& handlers);
    static void add_object_handlers(Handlers& handlers);

    // machine.cpp: the stack and the budgets.
    Status push(Value* value);
    Status push_new(Value::Variant value);
    // Counts against the budget of values.
    Status charge(std::uint64_t values);
    Result<Value*> pop();
    Result<Value*> top();
    // The values above the last mark, which are taken off with it.
    Result<std::vector<Value*>> pop_to_mark();
    tl::unexpected<base::Error> error(std::string message) const;
    tl::unexpected<base::Error> unsupported(std::string message) const;
    Status unknown();
    Status refuse();

    Status proto();
    Status frame();
    Status mark();
    Status pop_one();
    Status pop_mark();
    Status dup();
    Status get();
    Status put();
    Status memoize();
    template <int kBytes>
    Status bin_get();
    template <int kBytes>
    Status bin_put();
    Status fetch(std::uint64_t number);
    Status store(std::uint64_t number);

    // machine_scalars.cpp: values that stand in the pickle itself.
    template <int kBytes>
    Result<std::uint64_t> unsigned_number();
    Result<std::uint64_t> decimal_number();
    Result<std::string_view> line();
    Status none();
    Status new_true();
    Status new_false();
    Status int_text();
    Status long_text();
    Status push_decimal(std::string_view digits);
    Status bin_int();
    template <int kBytes>
    Status bin_unsigned();
    template <int kBytes>
    Status long_bytes();
    Status float_text();
    Status bin_float();
    Status string_text();
    Status unicode_text();
    template <int kBytes>
    Status bin_string();
    template <int kBytes>
    Status bin_unicode();
    template <int kBytes>
    Status bin_bytes();
    Status push_text_or_bytes(std::string data);

    // machine_objects.cpp: values made of others.
    Status empty_tuple();
    Status tuple();
    template <int kItems>
    Status tuple_of();
    Status empty_list();
    Status list();
    Status append();
    Status appends();
    Status append_to(Value& target, const std::vector<Value*>& items);
    Status empty_dict();
    Status dict();
    Status set_item();
    Status set_items();
    Status set_items_of(Value& target, const std::vector<Value*>& pairs);
    Status empty_set();
    Status add_items();
    Status frozen_set();
    Status global();
    Status stack_global();
    Status push_global(std::string_view module, std::string_view name);
    Status reduce();
    Status new_obj();
    Status new_obj_ex();
    Status push_object(Value* callable, Value* args, bool is_new);
    Status build();
    Status pers_id();
    Status bin_pers_id();

    base::ByteReader& reader_;
    Arena& arena_;
    const GlobalFilter& accept_;
    const Limits& limits_;

    std::vector<Value*> stack_;
    std::vector<std::size_t> marks_;  // heights of the stack
    Memo memo_;
    ItemIndex index_;
    std::unordered_map<std::string, Value*> globals_;  // by "module name"
    std::uint64_t values_made_ = 0;

    unsigned char opcode_ = 0;  // the current one, for messages

    // Values without identity are made once.
    Value* none_ = nullptr;
    Value* true_ = nullptr;
    Value* false_ = nullptr;
    Value* empty_tuple_ = nullptr;
};

template <int kBytes>
Result<std::uint64_t> Machine::unsigned_number() {
    TRY_ASSIGN(base::ByteSpan bytes, reader_.take(kBytes));
    std::uint64_t value = 0;
    for (int i = kBytes; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]);
    return value;
}

}  // namespace ckpt::pickle
