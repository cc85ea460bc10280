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
    } catch (...) {
        // What a library says of its own trouble ("stoll") tells nobody anything.
        return {
            ErrorKind::internal, "this is a mistake of the program; please report it with the command line", "", {}};
    }
}

}  // namespace base
