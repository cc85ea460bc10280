// The settings of Adam between PyTorch and Megatron, as values of a pickle.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/mapping/adam_settings.h"

namespace ckpt {

using NamedValues = std::vector<std::pair<std::string, pickle::Ref>>;

pickle::Ref value_in(const NamedValues& values, std::string_view name);  // nullptr: it is not there

// Whether two groups have the same settings.
bool same_values(const NamedValues& a, const NamedValues& b);

// What PyTorch saves of a group of Megatron's. Fails with bad_input when the group lacks a setting that both have.
Result<NamedValues> torch_values(const AdamSettings& adam, pickle::Arena& arena, pickle::Ref megatron_group,
                                 const Path& path);

// The groups as PyTorch saves them, where they are Megatron's. Fails as torch_values does.
Status as_torch_groups(const AdamSettings& adam, ShardedGroups& settings, const Path& path);

// The dict of Megatron's for parameters with these settings. Fails with unsupported where Megatron computes otherwise.
Result<pickle::Value*> megatron_group(const AdamSettings& adam, pickle::Arena& arena, const NamedValues& values,
                                      bool decays, std::int64_t step, const Path& path);

// The schedule of a run that begins with these settings.
Result<pickle::Value*> megatron_schedule(const AdamSettings& adam, pickle::Arena& arena, const NamedValues& values);

}  // namespace ckpt
