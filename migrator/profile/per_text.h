// PerText: what a text of a trace says in small letters, worked out once for each text.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "migrator/profile/profile_names.h"
#include "migrator/profile/text_pool.h"

namespace migrator {

template <class Use>
class PerText {
public:
    PerText(const TextPool& texts, std::function<Use(const std::string&)> of)
        : texts_(texts), of_(std::move(of)), uses_(texts.size()) {}

    const Use& operator[](TextNumber text) {
        std::optional<Use>& use = uses_[text];
        if (!use) use = of_(lower_case(texts_[text]));
        return *use;
    }

private:
    const TextPool& texts_;
    const std::function<Use(const std::string&)> of_;
    std::vector<std::optional<Use>> uses_;
};

}  // namespace migrator
