#include "base/guarded.h"

#include <new>

namespace base {

Error memory_error() {
    return {ErrorKind::no_memory,
            "there is not enough memory; fewer threads need less, and `ulimit -v` may hold it back",
            "",
            {}};
}

Error error_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
        return memory_error();
    } catch (const std::exception& error) {
        return {ErrorKind::internal, error.what(), "", {}};
    } catch (...) {
        return {ErrorKind::internal, "an exception of an unknown type", "", {}};
    }
}

}  // namespace base
