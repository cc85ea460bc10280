// What a conversion does to the disk: every byte once, all or nothing.
#include <algorithm>

#include "tests/property/ckpt_convert/cases.h"
#include "tests/property/ckpt_convert/watched_file_system.h"

using ckpt::ConvertOptions;
using test::WatchedFileSystem;

namespace {

// A file system with a random model, and the options that convert it.
struct Prepared {
    WatchedFileSystem fs;
    ConvertOptions options;
};

void prepare(Prepared& out, test::Random& random, const std::string& family) {
    ckpt::Model model = test::add_random_hf(out.fs, "hf", **test::knowledge().families.for_name(family), random);
    out.options = test::options("hf", "out");
    test::choose_target(out.options, model, random);
    if (out.options.vocab.fill == "mean") out.options.vocab.fill = "zero";  // a mean reads the vocabulary once more
}

bool all_once(const std::vector<int>& counts, std::size_t begin) {
    return std::all_of(counts.begin() + static_cast<std::ptrdiff_t>(begin), counts.end(),
                       [](int count) { return count == 1; });
}

// Behind the header of a safetensors file.
std::size_t payload_of(const std::string& safetensors) {
    std::size_t header = 0;
    for (int i = 7; i >= 0; --i)
        header = header << 8 | static_cast<unsigned char>(safetensors[static_cast<std::size_t>(i)]);
    return 8 + header;
}

bool holds_anything(WatchedFileSystem& fs, const base::Path& directory) {
    const auto files = fs.files();
    return std::any_of(files.begin(), files.end(),
                       [&](const base::Path& path) { return path.starts_with(directory + "/"); });
}

bool opens(base::FileSystem& fs, const base::Path& directory) {
    ckpt::SourceOptions options;
    options.directory = directory;
    return ckpt::open_source(fs, test::knowledge(), options).has_value();
}

}  // namespace

TEST_CASE("property: every byte of the weights is read once, every byte of the output written once") {
    std::uint32_t seed = 9000;
    for (const char* family : {"llama2", "bloom", "gemma2", "internlm2", "phi35", "qwen1"}) {
        for (int round = 0; round < 6; ++round, ++seed) {
            CAPTURE(seed);
            test::Random random(seed);
            Prepared prepared;
            prepare(prepared, random, family);
            std::string layout = test::text_of(prepared.options);
            CAPTURE(layout);
            test::must_convert(prepared.fs, prepared.options);
            std::string weights = prepared.fs.content("hf/model.safetensors");
            auto reads = prepared.fs.reads().at("hf/model.safetensors");
            CHECK(reads.size() == weights.size());
            CHECK(all_once(reads, payload_of(weights)));
            for (const auto& entry : prepared.fs.writes()) {
                const auto& path = entry.first;
                const auto& writes = entry.second;
                CAPTURE(path);
                CHECK(all_once(writes, 0));
            }
        }
    }
}

TEST_CASE("property: a conversion that breaks down anywhere leaves nothing that looks whole") {
    std::uint32_t seed = 9500;
    for (const char* family : {"llama2", "bloom", "qwen3"}) {
        for (std::uint32_t round = 0; round < test::share_of(4); ++round, ++seed) {
            CAPTURE(seed);
            std::uint64_t changes = 0;
            {
                test::Random random(seed);
                Prepared whole;
                prepare(whole, random, family);
                std::uint64_t before = whole.fs.changes();
                test::must_convert(whole.fs, whole.options);
                changes = whole.fs.changes() - before;
            }
            // All places are tried over the rounds, not all in each.
            for (std::uint64_t at = round; at < changes; at += 1 + changes / 60) {
                CAPTURE(at);
                test::Random random(seed);
                Prepared broken;
                prepare(broken, random, family);
                broken.fs.break_after(at);
                auto result = test::convert(broken.fs, broken.options);
                REQUIRE_FALSE(result);
                CHECK(result.error().kind == base::ErrorKind::write_failed);
                CHECK_FALSE(holds_anything(broken.fs, "out"));
                CHECK_FALSE(broken.fs.exists("out/latest_checkpointed_iteration.txt"));
                CHECK_FALSE(opens(broken.fs, "out"));
            }
        }
    }
}
