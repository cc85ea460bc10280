#include "migrator/source/test_code.h"

namespace migrator {

bool is_test_code(std::string_view path) {
    while (!path.empty()) {
        const std::size_t slash = path.find('/');
        const std::string_view part = path.substr(0, slash);
        if (slash == path.npos) return part.starts_with("test_") || part.ends_with("_test.py") || part == "conftest.py";
        if (part == "test" || part == "tests") return true;
        path.remove_prefix(slash + 1);
    }
    return false;
}

}  // namespace migrator
