#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace base {

void check_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "internal error: %s:%d: CHECK(%s) failed; please report this with the command line\n", file,
                 line, condition);
    std::_Exit(70);
}

}  // namespace base
