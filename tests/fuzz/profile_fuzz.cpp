// Profiles: whatever a trace and its table of kernels hold, both are read to their end, cutting them gives the same beginning, and the
// parts of the time add up.
#include "migrator/compare/comparison.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/support/memory_file_system.h"

namespace {

using namespace migrator;

constexpr std::string_view kSeparator = "\n== kernel_details.csv\n";

const base::DataStore& store() {
    static const base::DataStore kStore;
    return kStore;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const std::size_t end = std::min(text.find(kSeparator), text.size());
    const std::string_view table = end == text.size() ? std::string_view() : text.substr(end + kSeparator.size());
    test::MemoryFileSystem fs;
    fs.add("a/trace_view.json", std::string(text.substr(0, end)));
    fs.add("a/kernel_details.csv", std::string(table));
    fs.add("cut.json", std::string(text.substr(0, end / 2)));
    for (const ProfileNumbers numbers : {ProfileNumbers::ours, ProfileNumbers::msprof}) {
        CompareRequest request;
        request.base = request.compared = "a";
        request.numbers = request.pairing.numbers = numbers;
        const auto comparison = compare_profiles(fs, store(), request);
        if (!comparison) continue;
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
        request.base = request.compared = "cut.json";
        const auto cut = compare_profiles(fs, store(), request);
        fuzz::require(!cut || cut->base->trace.events <= comparison->base->trace.events, "a part has no more events");
    }
    return 0;
}
