// CHECK: an invariant of our own code, always on; a failure ends the process with exit code 70 ("internal").
#pragma once

namespace base {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace base

#define CHECK(condition) \
    (static_cast<bool>(condition) ? static_cast<void>(0) : ::base::check_failed(#condition, __FILE__, __LINE__))
