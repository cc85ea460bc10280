// Random Megatron layouts that a model allows: sizes, stages, vocabulary, names, file format.
#pragma once

#include <string>

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/mapping/model.h"
#include "tests/property/ckpt_convert/random.h"

namespace test {

// Chooses everything about the output of `options` but its directory.
void choose_target(ckpt::ConvertOptions& options, const ckpt::Model& model, Random& random);

// For CAPTURE.
std::string text_of(const ckpt::ConvertOptions& options);

}  // namespace test
