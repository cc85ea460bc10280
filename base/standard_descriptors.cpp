#include "base/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>
#include <initializer_list>

namespace base {

void keep_standard_descriptors() {
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(number, F_GETFD) != -1) continue;
        // The lowest number that is free is this one.
        static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
}

}  // namespace base
