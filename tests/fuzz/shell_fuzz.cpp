// Shell scripts.
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/rewriting.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::check_rewriting("launch.sh", fuzz::text_of(data, size));
    return 0;
}
