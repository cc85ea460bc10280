// AdamSettings: what the groups of Adam's parameters hold, as PyTorch and as Megatron save them.
#pragma once

#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

struct AdamSetting {
    std::string name;
    std::string torch;
    std::string megatron;
    bool needed = false;
};
constexpr auto record_of(const AdamSetting*) {
    using base::field;
    return base::record(
        "adam_setting", "a setting of a group of Adam's parameters",
        field("name", &AdamSetting::name, "what it is called; without a value both have it").needed(),
        field("torch", &AdamSetting::torch,
              "its value in PyTorch as Python writes it, where Megatron need not have it"),
        field("megatron", &AdamSetting::megatron, "its value in Megatron, where PyTorch does not have it"),
        field("needed", &AdamSetting::needed,
              "Megatron computes with the value in `torch` alone, and a state with another is refused"));
}

struct ScheduleValue {
    std::string name;
    std::string value;
};
constexpr auto record_of(const ScheduleValue*) {
    using base::field;
    return base::record(
        "schedule_value", "what Megatron's schedule holds before its first step",
        field("name", &ScheduleValue::name, "the key").needed(),
        field("value", &ScheduleValue::value, "as Python writes it, or the name of a setting that both have").needed());
}

// rules/formats/adam.json
struct AdamSettings : RuleFile<"adam-settings/1"> {
    List<AdamSetting> settings;
    List<ScheduleValue> schedule;

    static Result<AdamSettings> load(const base::DataStore& store) {
        return base::read_rule_record<AdamSettings>(store, "rules/formats/adam.json");
    }
};
constexpr auto record_of(const AdamSettings* file) {
    using base::field;
    return base::extended(record_of(static_cast<const RuleFile<"adam-settings/1">*>(file)), "adam_settings", "",
                          field("settings", &AdamSettings::settings, "of a group of parameters").needed(),
                          field("schedule", &AdamSettings::schedule,
                                "of the learning rate, for a run that began elsewhere and continues with Megatron")
                              .needed());
}

}  // namespace ckpt
