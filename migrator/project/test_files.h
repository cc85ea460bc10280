// is_of_tests: files of a project that people do not start it for.
#pragma once

#include <string_view>

#include "base/text.h"
#include "migrator/ruleset/places.h"
#include "migrator/source/test_code.h"

namespace migrator {

// Tests, and what tells services how to run them.
inline bool is_of_tests(std::string_view path, const AdaptedNames& names) {
    return is_test_code(path) || base::contains(names.directories_of_tests, path.substr(0, path.find('/')));
}

}  // namespace migrator
