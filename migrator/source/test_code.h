// is_test_code: paths that are no code of the product.
#pragma once

#include <string_view>

namespace migrator {

// As pytest and unittest find tests, and where projects keep what they are made of.
bool is_test_code(std::string_view path);

}  // namespace migrator
