#include "ckpt_convert/job/hardware.h"

#include <algorithm>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "base/text.h"

namespace ckpt {

Result<DeviceTable> load_devices(const base::DataStore& store) {
    return base::read_rule_record<DeviceTable>(store, "rules/planner/hardware.json");
}

Result<const Device*> find_device(const DeviceTable& table, std::string_view word) {
    const std::string small = base::lower_case(word);
    std::vector<std::string> words;
    for (const Device& device : table.devices) {
        if (device.id == small || base::contains(device.also, small)) return &device;
        words.push_back(device.id);
    }
    return base::fail(ErrorKind::usage, base::format("--device: there is no preset \"{}\"{}", word,
                                                     base::did_you_mean_or_all(std::string(word), words)));
}

}  // namespace ckpt
