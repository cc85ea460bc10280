// DeviceInfo: what Ascend's profiler has written down of the device, in PROF_*/device_*/info.json.*.
#pragma once

#include "base/file_system.h"

namespace migrator {

// 0: not known.
struct DeviceInfo {
    double cores = 0, vector_cores = 0, megahertz = 0;
};

// `folder`: *_ascend_pt. A file that is missing or broken says nothing.
DeviceInfo device_info(base::FileSystem& fs, const base::Path& folder, std::string_view file_begin);

}  // namespace migrator
