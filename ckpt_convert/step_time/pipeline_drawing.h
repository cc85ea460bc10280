// A pipeline's step as a picture: stages over time, in text and as SVG.
#pragma once

#include <string>

#include "ckpt_convert/step_time/pipeline_schedule.h"

namespace ckpt {

// A line of `width` characters for each stage: F forward, B backward, X both as a pair, W gradients of weights, . idle; behind it the
// share of its time that it waits.
std::string pipeline_text(const PipelineChart& chart, std::size_t width);

// The same as an <svg> element, whose shapes have the classes forward, backward, pair, weights and idle.
std::string pipeline_svg(const PipelineChart& chart);

}  // namespace ckpt
