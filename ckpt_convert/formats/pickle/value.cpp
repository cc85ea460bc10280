#include "ckpt_convert/formats/pickle/value.h"

#include "ckpt_convert/base_names.h"

namespace ckpt::pickle {
namespace {

using Items = std::vector<std::pair<Ref, Ref>>;

// Protocol 2 and below name it as Python 2 did.
bool is_builtins(const std::string& module) { return module == "builtins" || module == "__builtin__"; }

bool makes_dict(const Global& callable) {
    if (callable.module == "collections") {
        return callable.name == "OrderedDict" || callable.name == "defaultdict" || callable.name == "Counter";
    }
    return is_builtins(callable.module) && callable.name == "dict";
}

// dict({...}) and Counter({...}) are given their content as an argument.
const Dict* dict_argument(const Object& object) {
    const Tuple* args = object.args != nullptr ? object.args->as<Tuple>() : nullptr;
    return args != nullptr && args->items.size() == 1 ? args->items[0]->as<Dict>() : nullptr;
}

// The bytes that well-formed UTF-8 stands for in Latin-1; nullopt when it has characters beyond it.
std::optional<std::string> latin1(std::string_view utf8) {
    std::string out;
    for (std::size_t i = 0; i < utf8.size(); ++i) {
        auto lead = static_cast<unsigned char>(utf8[i]);
        if (lead >= 0x80) {
            if (lead > 0xC3 || i + 1 == utf8.size()) return std::nullopt;
            lead = static_cast<unsigned char>(lead << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3F));
        }
        out += static_cast<char>(lead);
    }
    return out;
}

struct KindName {
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(bool) const { return "True or False"; }
    std::string operator()(std::int64_t) const { return "an integer"; }
    std::string operator()(const BigInteger&) const { return "an integer beyond 64 bits"; }
    std::string operator()(double) const { return "a float"; }
    std::string operator()(const std::string&) const { return "a string"; }
    std::string operator()(const Bytes&) const { return "bytes"; }
    std::string operator()(const List&) const { return "a list"; }
    std::string operator()(const Tuple&) const { return "a tuple"; }
    std::string operator()(const Set&) const { return "a set"; }
    std::string operator()(const Dict&) const { return "a dict"; }
    std::string operator()(const Global& global) const { return "the name " + dotted(global); }
    std::string operator()(const Object& object) const {
        const Global* callable = object.callable != nullptr ? object.callable->as<Global>() : nullptr;
        if (callable == nullptr) return "a call";
        return (object.is_new ? "an object of " : "a call of ") + dotted(*callable);
    }
    std::string operator()(const PersistentId&) const { return "a storage"; }
    template <class T>
    std::string operator()(const Boxed<T>& boxed) const {
        return (*this)(*boxed);
    }

    static std::string dotted(const Global& global) {
        std::string quoted = quoted_name(global.module + "." + global.name);
        return quoted.substr(1, quoted.size() - 2);
    }
};

}  // namespace

std::string Value::kind_name() const { return std::visit(KindName{}, variant); }

const Items* mapping_items(Ref mapping) {
    if (mapping == nullptr) return nullptr;
    if (const Dict* dict = mapping->as<Dict>()) return &dict->items;
    const Object* object = mapping->as<Object>();
    const Global* callable =
        object != nullptr && object->callable != nullptr ? object->callable->as<Global>() : nullptr;
    if (callable == nullptr || !makes_dict(*callable)) return nullptr;
    if (const Dict* given = dict_argument(*object); given != nullptr && object->items.empty()) return &given->items;
    return &object->items;
}

Ref find(Ref mapping, std::string_view key) {
    const Items* items = mapping_items(mapping);
    if (items == nullptr) return nullptr;
    for (const auto& [name, value] : *items) {
        const std::string* text = name->as<std::string>();
        if (text != nullptr && *text == key) return value;
    }
    return nullptr;
}

std::optional<std::string> bytes_of(Ref value) {
    if (value == nullptr) return std::nullopt;
    if (const Bytes* bytes = value->as<Bytes>()) return bytes->data;
    const Object* object = value->as<Object>();
    const Global* callable =
        object != nullptr && object->callable != nullptr ? object->callable->as<Global>() : nullptr;
    const Tuple* args = object != nullptr && object->args != nullptr ? object->args->as<Tuple>() : nullptr;
    if (callable == nullptr || args == nullptr) return std::nullopt;
    // Python writes empty bytes as bytes().
    if (is_builtins(callable->module) && callable->name == "bytes" && args->items.empty()) return std::string();
    if (!callable->is("_codecs", "encode") || args->items.size() != 2) return std::nullopt;
    const std::string* text = args->items[0]->as<std::string>();
    const std::string* codec = args->items[1]->as<std::string>();
    if (text == nullptr || codec == nullptr || *codec != "latin1") return std::nullopt;
    return latin1(*text);
}

const Items* namespace_items(Ref object) {
    static const Items kNoItems;
    const Object* call = object != nullptr ? object->as<Object>() : nullptr;
    const Global* callable = call != nullptr && call->callable != nullptr ? call->callable->as<Global>() : nullptr;
    if (callable == nullptr || !(callable->is("argparse", "Namespace") || callable->is("types", "SimpleNamespace")))
        return nullptr;
    if (call->state == nullptr || call->state->as<None>() != nullptr) return &kNoItems;
    const Dict* attributes = call->state->as<Dict>();
    return attributes != nullptr ? &attributes->items : nullptr;
}

}  // namespace ckpt::pickle
