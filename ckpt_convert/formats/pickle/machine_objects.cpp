#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/machine.h"
#include "ckpt_convert/formats/pickle/opcodes.h"

namespace ckpt::pickle {
namespace {

std::vector<Ref> refs(const std::vector<Value*>& values) { return {values.begin(), values.end()}; }

// A module or attribute path as Python writes it: no spaces, no control characters, so that it can be written again.
bool is_plain_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxGlobalNameBytes && std::none_of(name.begin(), name.end(), [](char c) {
        return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
    });
}

// Python 2 gives an OrderedDict's content as its argument, a list of [key, value] lists.
const List* ordered_dict_items(const Value& callable, const Value& args) {
    const Global* global = callable.as<Global>();
    const Tuple* tuple = args.as<Tuple>();
    if (global == nullptr || !global->is("collections", "OrderedDict") || tuple->items.size() != 1) return nullptr;
    return tuple->items[0]->as<List>();
}

}  // namespace

void Machine::add_object_handlers(Handlers& handlers) {
    auto set = [&handlers](char opcode, Handler handler) { handlers[static_cast<unsigned char>(opcode)] = handler; };
    set(op::kEmptyTuple, &Machine::empty_tuple);
    set(op::kTuple, &Machine::tuple);
    set(op::kTuple1, &Machine::tuple_of<1>);
    set(op::kTuple2, &Machine::tuple_of<2>);
    set(op::kTuple3, &Machine::tuple_of<3>);
    set(op::kEmptyList, &Machine::empty_list);
    set(op::kList, &Machine::list);
    set(op::kAppend, &Machine::append);
    set(op::kAppends, &Machine::appends);
    set(op::kEmptyDict, &Machine::empty_dict);
    set(op::kDict, &Machine::dict);
    set(op::kSetItem, &Machine::set_item);
    set(op::kSetItems, &Machine::set_items);
    set(op::kEmptySet, &Machine::empty_set);
    set(op::kAddItems, &Machine::add_items);
    set(op::kFrozenSet, &Machine::frozen_set);
    set(op::kGlobal, &Machine::global);
    set(op::kStackGlobal, &Machine::stack_global);
    set(op::kReduce, &Machine::reduce);
    set(op::kNewObj, &Machine::new_obj);
    set(op::kNewObjEx, &Machine::new_obj_ex);
    set(op::kBuild, &Machine::build);
    set(op::kPersId, &Machine::pers_id);
    set(op::kBinPersId, &Machine::bin_pers_id);
}

Status Machine::empty_tuple() { return push(empty_tuple_); }

Status Machine::tuple() {
    TRY_ASSIGN(std::vector<Value*> items, pop_to_mark());
    if (items.empty()) return push(empty_tuple_);
    return push_new(Tuple{refs(items)});
}

template <int kItems>
Status Machine::tuple_of() {
    Tuple tuple;
    tuple.items.resize(kItems);
    for (std::size_t i = kItems; i-- > 0;) {
        TRY_ASSIGN(tuple.items[i], pop());
    }
    return push_new(std::move(tuple));
}

Status Machine::empty_list() { return push_new(List{}); }

Status Machine::list() {
    TRY_ASSIGN(std::vector<Value*> items, pop_to_mark());
    return push_new(List{refs(items)});
}

Status Machine::append() {
    TRY_ASSIGN(Value * item, pop());
    TRY_ASSIGN(Value * target, top());
    return append_to(*target, {item});
}

Status Machine::appends() {
    TRY_ASSIGN(std::vector<Value*> items, pop_to_mark());
    TRY_ASSIGN(Value * target, top());
    return append_to(*target, items);
}

Status Machine::append_to(Value& target, const std::vector<Value*>& items) {
    std::vector<Ref>* grown = nullptr;
    if (List* list = target.as<List>()) grown = &list->items;
    if (Object* object = target.as<Object>()) grown = &object->appended;
    if (grown == nullptr) return error(base::format("the pickle appends to {}", target.kind_name()));
    grown->insert(grown->end(), items.begin(), items.end());
    return {};
}

Status Machine::empty_dict() { return push_new(Dict{}); }

Status Machine::dict() {
    TRY_ASSIGN(std::vector<Value*> pairs, pop_to_mark());
    TRY(push_new(Dict{}));
    return set_items_of(*stack_.back(), pairs);
}

Status Machine::set_item() {
    TRY_ASSIGN(Value * value, pop());
    TRY_ASSIGN(Value * key, pop());
    TRY_ASSIGN(Value * target, top());
    return set_items_of(*target, {key, value});
}

Status Machine::set_items() {
    TRY_ASSIGN(std::vector<Value*> pairs, pop_to_mark());
    TRY_ASSIGN(Value * target, top());
    return set_items_of(*target, pairs);
}

Status Machine::set_items_of(Value& target, const std::vector<Value*>& pairs) {
    ItemIndex::Items* items = nullptr;
    if (Dict* dict = target.as<Dict>()) items = &dict->items;
    if (Object* object = target.as<Object>()) items = &object->items;
    if (items == nullptr) return error(base::format("the pickle sets items of {}", target.kind_name()));
    if (pairs.size() % 2 != 0) return error("the pickle sets an item that has a key but no value");
    for (std::size_t i = 0; i < pairs.size(); i += 2) index_.set(*items, pairs[i], pairs[i + 1]);
    return {};
}

Status Machine::empty_set() { return push_new(Set{}); }

Status Machine::add_items() {
    TRY_ASSIGN(std::vector<Value*> items, pop_to_mark());
    TRY_ASSIGN(Value * target, top());
    if (Set* set = target->as<Set>()) {
        set->items.insert(set->items.end(), items.begin(), items.end());
        return {};
    }
    return append_to(*target, items);
}

Status Machine::frozen_set() {
    TRY_ASSIGN(std::vector<Value*> items, pop_to_mark());
    return push_new(Set{refs(items)});
}

Status Machine::global() {
    TRY_ASSIGN(std::string_view module, line());
    TRY_ASSIGN(std::string_view name, line());
    return push_global(module, name);
}

Status Machine::stack_global() {
    TRY_ASSIGN(Value * name, pop());
    TRY_ASSIGN(Value * module, pop());
    const std::string* module_text = module->as<std::string>();
    const std::string* name_text = name->as<std::string>();
    if (module_text == nullptr || name_text == nullptr)
        return error("the pickle names a global by something that is not a string");
    return push_global(*module_text, *name_text);
}

Status Machine::push_global(std::string_view module, std::string_view name) {
    bool plain = is_plain_name(module) && is_plain_name(name);
    std::string both = plain ? base::format("{} {}", module, name) : std::string();
    // Equal names are one value: a pickle of a few bytes per use cannot make many copies of a long one.
    if (auto known = globals_.find(both); known != globals_.end()) return push(known->second);
    if (!plain || !accept_(module, name)) {
        return unsupported(
            base::format("the pickle names {}, which no checkpoint of plain tensors needs; nothing was executed. "
                         "If you trust the file, load it in Python and save only its tensors",
                         quoted_name(base::format("{}.{}", module, name))));
    }
    TRY(push_new(Global{std::string(module), std::string(name)}));
    globals_.emplace(std::move(both), stack_.back());
    return {};
}

Status Machine::reduce() {
    TRY_ASSIGN(Value * args, pop());
    TRY_ASSIGN(Value * callable, pop());
    return push_object(callable, args, false);
}

Status Machine::new_obj() {
    TRY_ASSIGN(Value * args, pop());
    TRY_ASSIGN(Value * cls, pop());
    return push_object(cls, args, true);
}

// Arguments by name occur in no class that a checkpoint needs.
Status Machine::new_obj_ex() {
    TRY_ASSIGN(Value * named, pop());
    const Dict* dict = named->as<Dict>();
    if (dict == nullptr || !dict->items.empty())
        return unsupported("the pickle makes an object with arguments by name; nothing was executed");
    return new_obj();
}

Status Machine::push_object(Value* callable, Value* args, bool is_new) {
    if (callable->as<Global>() == nullptr) {
        return unsupported(
            base::format("the pickle calls {}, which is not a name; nothing was executed", callable->kind_name()));
    }
    if (args->as<Tuple>() == nullptr)
        return error(base::format("the pickle calls with {}, not a tuple, as arguments", args->kind_name()));
    const List* pairs = ordered_dict_items(*callable, *args);
    TRY(push_new(Object{callable, pairs != nullptr ? empty_tuple_ : args, is_new, nullptr, {}, {}}));
    if (pairs == nullptr) return {};
    // A list that is used often would be copied often.
    TRY(charge(pairs->items.size()));
    auto& items = stack_.back()->as<Object>()->items;
    for (Ref item : pairs->items) {
        const List* pair = item->as<List>();
        const Tuple* tuple = item->as<Tuple>();
        const std::vector<Ref>* both = pair != nullptr ? &pair->items : tuple != nullptr ? &tuple->items : nullptr;
        if (both == nullptr || both->size() != 2) return error("an OrderedDict is made of something that is not pairs");
        index_.set(items, (*both)[0], (*both)[1]);
    }
    return {};
}

Status Machine::build() {
    TRY_ASSIGN(Value * state, pop());
    TRY_ASSIGN(Value * target, top());
    Object* object = target->as<Object>();
    if (object == nullptr) return error(base::format("the pickle gives a state to {}", target->kind_name()));
    // Python would merge the states; no writer does this.
    if (object->state != nullptr) return error("the pickle gives an object a state twice");
    object->state = state;
    return {};
}

Status Machine::pers_id() {
    TRY_ASSIGN(std::string_view text, line());
    // As Python has it.
    if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) > 0x7f; }))
        return error(base::format("{} is not a persistent id of protocol 0, which is ASCII", quoted_name(text)));
    TRY(push_new(std::string(text)));
    TRY_ASSIGN(Value * id, pop());
    return push_new(PersistentId{id});
}

Status Machine::bin_pers_id() {
    TRY_ASSIGN(Value * id, pop());
    return push_new(PersistentId{id});
}

}  // namespace ckpt::pickle
