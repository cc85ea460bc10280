// Machine: the stack machine that a pickle is a program for, with every effect replaced by a record of it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"
#include "ckpt_convert/formats/pickle/item_index.h"
#include "ckpt_convert/formats/pickle/memo.h"
#include "ckpt_convert/formats/pickle/reader.h"

namespace ckpt::pickle {

class Machine {
public:
    Machine(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept, const Limits& limits);

    // Runs to STOP and returns what is left on the stack.
    base::Result<Ref> run();

private:
    using Handler = base::Status (Machine::*)();
    using Handlers = std::array<Handler, 256>;
    static Handlers make_handlers();
    static void add_scalar_handlers(Handlers& handlers);
    static void add_object_handlers(Handlers& handlers);

    // machine.cpp: the stack and the budgets.
    base::Status push(Value* value);
    base::Status push_new(Value::Variant value);
    // Counts against the budget of values.
    base::Status charge(std::uint64_t values);
    base::Result<Value*> pop();
    base::Result<Value*> top();
    // The values above the last mark, which are taken off with it.
    base::Result<std::vector<Value*>> pop_to_mark();
    tl::unexpected<base::Error> error(std::string message) const;
    tl::unexpected<base::Error> unsupported(std::string message) const;
    base::Status unknown();
    base::Status refuse();

    base::Status proto();
    base::Status frame();
    base::Status mark();
    base::Status pop_one();
    base::Status pop_mark();
    base::Status dup();
    base::Status get();
    base::Status put();
    base::Status memoize();
    template <int kBytes>
    base::Status bin_get();
    template <int kBytes>
    base::Status bin_put();
    base::Status fetch(std::uint64_t number);
    base::Status store(std::uint64_t number);

    // machine_scalars.cpp: values that stand in the pickle itself.
    template <int kBytes>
    base::Result<std::uint64_t> unsigned_number();
    base::Result<std::uint64_t> decimal_number();
    base::Result<std::string_view> line();
    base::Status none();
    base::Status new_true();
    base::Status new_false();
    base::Status int_text();
    base::Status long_text();
    base::Status push_decimal(std::string_view digits);
    base::Status bin_int();
    template <int kBytes>
    base::Status bin_unsigned();
    template <int kBytes>
    base::Status long_bytes();
    base::Status float_text();
    base::Status bin_float();
    base::Status string_text();
    base::Status unicode_text();
    template <int kBytes>
    base::Status bin_string();
    template <int kBytes>
    base::Status bin_unicode();
    template <int kBytes>
    base::Status bin_bytes();
    base::Status push_text_or_bytes(std::string data);

    // machine_objects.cpp: values made of others.
    base::Status empty_tuple();
    base::Status tuple();
    template <int kItems>
    base::Status tuple_of();
    base::Status empty_list();
    base::Status list();
    base::Status append();
    base::Status appends();
    base::Status append_to(Value& target, const std::vector<Value*>& items);
    base::Status empty_dict();
    base::Status dict();
    base::Status set_item();
    base::Status set_items();
    base::Status set_items_of(Value& target, const std::vector<Value*>& pairs);
    base::Status empty_set();
    base::Status add_items();
    base::Status frozen_set();
    base::Status global();
    base::Status stack_global();
    base::Status push_global(std::string_view module, std::string_view name);
    base::Status reduce();
    base::Status new_obj();
    base::Status new_obj_ex();
    base::Status push_object(Value* callable, Value* args, bool is_new);
    base::Status build();
    base::Status pers_id();
    base::Status bin_pers_id();

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
base::Result<std::uint64_t> Machine::unsigned_number() {
    TRY_ASSIGN(base::ByteSpan bytes, reader_.take(kBytes));
    std::uint64_t value = 0;
    for (int i = kBytes; i-- > 0;)
        value = value << 8 | std::to_integer<std::uint64_t>(bytes[static_cast<std::size_t>(i)]);
    return value;
}

}  // namespace ckpt::pickle
