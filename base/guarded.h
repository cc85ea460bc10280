// guarded: runs what may throw (the standard library, for want of memory) and gives an Error instead.
#pragma once

#include <exception>

#include "base/result.h"

namespace base {

// The system gives no more memory: kind no_memory.
Error memory_error();

// Of an exception: ErrorKind::no_memory, or a mistake in the tool.
Error error_of(const std::exception_ptr& thrown);

// `function` gives a Result or a Status. What it had built is taken down before the error is made.
template <class Function>
auto guarded(Function&& function) -> decltype(function()) {
    std::exception_ptr thrown;
    try {
        return function();
    } catch (...) {
        thrown = std::current_exception();
    }
    return tl::unexpected<Error>(error_of(thrown));
}

}  // namespace base
