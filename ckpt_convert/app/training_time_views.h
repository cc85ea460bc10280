// What a plan says of time beyond one layout: the search, the picture of the pipeline, better splits of layers.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "base/language.h"
#include "ckpt_convert/app/training_plan.h"

namespace ckpt {

std::string time_notes(const TrainingPlan& plan, const base::Language& say);

// Members of an object: "search", "layer_lists", "recompute".
void add_search(base::JsonWriter& json, const SearchResult& result);
void add_lists(base::JsonWriter& json, const LayerLists& lists);
void add_recompute(base::JsonWriter& json, const RecomputeChoice& choice);

}  // namespace ckpt
