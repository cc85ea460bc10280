// Files that builds and environments are made of; the first byte says which one it is.
#include <array>

#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/rewriting.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // As SETTINGS of seeds.py.
    static const std::array<std::string, 8> names{"Dockerfile",     "Makefile", "settings.ini",     ".env",
                                                  "pyproject.toml", "justfile", "requirements.txt", "environment.yml"};
    if (size > 0) fuzz::check_rewriting(names[data[0] % names.size()], fuzz::text_of(data + 1, size - 1));
    return 0;
}
