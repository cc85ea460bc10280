// WantedValues: what options say of the values of a model: that only a part of it is wanted, or what its config leaves open.
#pragma once

#include <string_view>

#include "ckpt_convert/mapping/model_values.h"
#include "ckpt_convert/open/source_options.h"

namespace ckpt {

std::int64_t value_or_zero(const ModelValues& values, std::string_view name);

// SourceOptions::settings, of values that the family has.
void take_settings(ModelValues& values, const SourceOptions& options);

// Whether --num-layers asks for all layers of the model, which it may do with the noop layers counted.
bool wants_all_layers(const SourceOptions& options, std::int64_t layers);

// --num-layers: the first layers alone. Fails with usage when there are fewer.
Status take_layers(ModelValues& values, const SourceOptions& options);

// --true-vocab-size: the first rows of the vocabulary alone. Fails with usage when there are fewer.
Status take_vocabulary(ModelValues& values, const SourceOptions& options);

}  // namespace ckpt
