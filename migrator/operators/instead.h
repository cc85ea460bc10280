// Instead: what to write in place of operators that do not run on the NPU: rules/operators/instead.json.
#pragma once

#include <string>
#include <string_view>

#include "base/data_store.h"
#include "base/result.h"
#include "base/string_map.h"

namespace migrator {

class Instead {
public:
    static base::Result<Instead> load(const base::DataStore& store);

    // A sentence; empty: not known. `name`: an operator, with or without its overload.
    std::string_view of(std::string_view name) const;

private:
    base::StringMap<std::string> by_operator_;
};

}  // namespace migrator
