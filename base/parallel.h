// parallel_for: runs independent jobs on a few threads; results must not depend on their order.
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"

namespace base {

// Runs job(0) .. job(count - 1), started in this order, on at most `threads` threads (0: one per core).
// Goes on with fewer threads where the system gives fewer. After the first failure, which may be an exception of a job,
// no further job starts; the failure with the lowest index is returned.
Status parallel_for(std::size_t count, int threads, const std::function<Status(std::size_t)>& job);

int default_thread_count();

}  // namespace base
