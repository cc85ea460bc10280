#include "ckpt_convert/target/adam_values.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/number_text.h"
#include "ckpt_convert/formats/pickle/writer.h"

namespace ckpt {
namespace {

using pickle::Ref;
using pickle::Value;

// A value as Python writes it: None, True, False, a number, a text in quotes.
Result<Value*> python_value(pickle::Arena& arena, const std::string& text) {
    if (text == "None") return arena.make(pickle::None{});
    if (text == "True" || text == "False") return arena.make(text == "True");
    if (text.size() > 1 && text.front() == '"' && text.back() == '"')
        return arena.make(text.substr(1, text.size() - 2));
    if (const auto whole = base::number_in<std::int64_t>(text)) return arena.make(*whole);
    if (const auto real = base::number_in<double>(text)) return arena.make(*real);
    return base::fail(ErrorKind::rule_data, base::format("\"{}\" is not a value of Python", text));
}

void add(pickle::Arena& arena, Value* dict, std::string_view key, Ref value) {
    dict->as<pickle::Dict>()->items.emplace_back(arena.make(std::string(key)), value);
}

}  // namespace

Ref value_in(const NamedValues& values, std::string_view name) {
    const auto found = std::find_if(values.begin(), values.end(), [&](const auto& one) { return one.first == name; });
    return found == values.end() ? nullptr : found->second;
}

bool same_values(const NamedValues& a, const NamedValues& b) {
    return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& one) {
               const Ref other = value_in(b, one.first);
               return other != nullptr && pickle::try_write(one.second) == pickle::try_write(other);
           });
}

Result<NamedValues> torch_values(const AdamSettings& adam, pickle::Arena& arena, Ref group, const Path& path) {
    NamedValues out;
    for (const AdamSetting& setting : adam.settings) {
        if (!setting.megatron.empty()) continue;
        if (!setting.torch.empty()) {
            TRY_ASSIGN(Value * value, python_value(arena, setting.torch));
            out.emplace_back(setting.name, value);
            continue;
        }
        const Ref found = pickle::find(group, setting.name);
        if (found == nullptr)
            return base::fail(ErrorKind::bad_input,
                              base::format("a parameter group of the optimizer does not say its {}", setting.name),
                              path);
        out.emplace_back(setting.name, found);
    }
    return out;
}

Status as_torch_groups(const AdamSettings& adam, ShardedGroups& settings, const Path& path) {
    if (!settings.of_megatron) return {};
    auto arena = std::make_shared<pickle::Arena>();
    for (ShardedGroup& group : settings.groups) {
        Value* dict = arena->make(pickle::Dict{});
        for (const auto& [key, value] : group.values) add(*arena, dict, key, value);
        TRY_ASSIGN(group.values, torch_values(adam, *arena, dict, path));
    }
    settings.of_megatron = false;
    settings.made = std::move(arena);
    return {};
}

Result<Value*> megatron_group(const AdamSettings& adam, pickle::Arena& arena, const NamedValues& values, bool decays,
                              std::int64_t step, const Path& path) {
    Value* out = arena.make(pickle::Dict{});
    for (const AdamSetting& setting : adam.settings) {
        const Ref found = value_in(values, setting.name);
        if (setting.needed && found != nullptr) {
            TRY_ASSIGN(Value * wanted, python_value(arena, setting.torch));
            if (pickle::try_write(found) != pickle::try_write(wanted))
                return base::fail(ErrorKind::unsupported,
                                  base::format("the optimizer has another {} than {}, which Megatron's has not; "
                                               "--optimizer drop leaves the state out",
                                               setting.name, setting.torch),
                                  path);
        }
        // Megatron may run PyTorch's Adam, which asks for its own.
        const std::string& usual = setting.megatron.empty() ? setting.torch : setting.megatron;
        if (!usual.empty()) {
            TRY_ASSIGN(Value * value, python_value(arena, usual));
            add(arena, out, setting.name, value);
        } else if (found != nullptr) {
            add(arena, out, setting.name, found);
        } else {
            return base::fail(ErrorKind::bad_input,
                              base::format("a group of the optimizer's parameters does not say its {}", setting.name),
                              path);
        }
    }
    add(arena, out, "wd_mult", arena.make(decays ? 1.0 : 0.0));
    add(arena, out, "step", arena.make(step));
    return out;
}

Result<Value*> megatron_schedule(const AdamSettings& adam, pickle::Arena& arena, const NamedValues& values) {
    Value* out = arena.make(pickle::Dict{});
    for (const ScheduleValue& one : adam.schedule) {
        Ref value = value_in(values, one.value);
        if (value == nullptr) {
            TRY_ASSIGN(value, python_value(arena, one.value));
        }
        add(arena, out, one.name, value);
    }
    return out;
}

}  // namespace ckpt
