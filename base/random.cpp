#include "base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"

namespace base {

Result<std::string> random_digits(std::size_t bytes) {
    std::string random(bytes, '\0');
    ssize_t got = -1;
    do got = ::getrandom(random.data(), bytes, 0);
    while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(bytes))
        return fail(ErrorKind::internal, format("no random numbers: {}", std::strerror(errno)));
    std::string out;
    for (const char byte : random) out += format("{:02x}", static_cast<unsigned char>(byte));
    return out;
}

}  // namespace base
