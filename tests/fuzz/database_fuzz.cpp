// Databases of a profile: whatever the bytes are, they are read to an end, the parts of the time add up, and nothing is written beside them.
#include "migrator/compare/comparison.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/support/memory_file_system.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace migrator;
    static const base::DataStore store;
    test::MemoryFileSystem fs;
    fs.add("a/ascend_pytorch_profiler_0.db", std::string(fuzz::text_of(data, size)));
    const std::vector<base::Path> before = fs.files();
    for (const ProfileNumbers numbers : {ProfileNumbers::ours, ProfileNumbers::msprof}) {
        CompareRequest request;
        request.base = request.compared = "a";
        request.numbers = request.pairing.numbers = numbers;
        const auto comparison = compare_profiles(fs, store, request);
        fuzz::require(fs.files() == before, "nothing is written");
        if (!comparison) {
            fuzz::require(comparison.error().kind == base::ErrorKind::bad_input, "what is wrong is the input");
            continue;
        }
        const SideMetrics& side = comparison->base->metrics;
        const Ticks parts = side.computing + side.uncovered + side.free() + side.split[ComputingPart::lccl].time;
        fuzz::require(parts == side.whole, "the parts are the whole");
        std::size_t said = 0;
        comparison->json()([&](std::string_view part) { said += part.size(); });
        fuzz::require(said > 0, "there is something to say");
        for (const Sheet& sheet : comparison->sheets) {
            for (std::size_t row = 0; row < sheet.size(); ++row)
                fuzz::require(sheet.row(row).size() == sheet.headers.size(), "a cell for each column");
        }
    }
    return 0;
}
