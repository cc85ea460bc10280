// The manifest of a conversion's output, from its plan and from what was written.
#pragma once

#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// A number for the whole conversion, which is another when anything about its output is.
std::uint64_t fingerprint(const PlannedOutput& target);

// What the manifests of all workers of a conversion have in common: everything but the files.
Manifest begin_manifest(const Source& source, const PlannedOutput& target, std::uint64_t fingerprint);

void add_written(Manifest& manifest, const OutputPlan& output, const Executed& executed);
void add_written(Manifest& manifest, const SideFile& file);

}  // namespace ckpt
