#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/target/rank_matrix.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using test::options;

TEST_CASE("plan: the layers and bytes of every rank, and how uneven they are") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto asked = options("hf", "mg", 2, 2);
    asked.dry_run = true;
    auto even = test::convert(fs, asked);
    REQUIRE(even);
    CHECK(even->ranks.find("PP 0   0 to 1") != std::string::npos);
    CHECK(even->ranks.find("PP 1   2 to 3") != std::string::npos);
    CHECK(even->ranks.find("uneven") == std::string::npos);
    asked.topology.layers_per_stage = {3, 1};
    auto uneven = test::convert(fs, asked);
    REQUIRE(uneven);
    CHECK(uneven->ranks.find("PP 0   0 to 2") != std::string::npos);
    CHECK(uneven->ranks.find("uneven: the largest rank holds ") != std::string::npos);
}

TEST_CASE("plan: a page that shows the ranks and what every tensor is made of, and asks for nothing") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto asked = options("hf", "mg", 2, 2);
    asked.dry_run = true;
    asked.plan_html = "plan.html";
    REQUIRE(test::convert(fs, asked));
    const std::string page = fs.content("plan.html");
    for (const char* part :
         {"<title>Conversion plan: Hugging Face to Megatron TP 2 x PP 2", "<td>PP 1</td><td>2 to 3</td>",
          "<code>iter_0000001/mp_rank_01_001/model_optim_rng.pt</code>", "layers.0.mlp.gate[0:12]",
          "default-src 'none'"})
        CHECK_MESSAGE(page.find(part) != std::string::npos, part);
    for (const char* part : {"{{", "<script", "http:", "https:", "src="})
        CHECK_MESSAGE(page.find(part) == std::string::npos, part);
    CHECK(!fs.exists("mg"));
    asked.plan_html = "mg/plan.html";
    CHECK(test::convert(fs, asked).error().message == "--plan-html must not be inside --save-dir");
}

TEST_CASE("plan: thousands of ranks are ranges") {
    ckpt::RankMatrix matrix;
    for (int rank = 0; rank < 64; ++rank) matrix.ranks.push_back(base::format("TP {}", rank));
    matrix.stages.push_back({"0 to 3", std::vector<std::uint64_t>(64, 1000)});
    matrix.stages.push_back({"4 to 7", std::vector<std::uint64_t>(64, 1000)});
    matrix.stages.back().bytes.back() = 1100;
    CHECK(ckpt::matrix_text(matrix) ==
          "  ranks\n"
          "           stage  layers     64 ranks\n"
          "           PP 0   0 to 3      1.00 kB\n"
          "           PP 1   4 to 7  1.00 kB to 1.10 kB\n");
}
