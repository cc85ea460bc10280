#include <doctest/doctest.h>

#include "ckpt_convert/plan/stage_sizes.h"

namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers parsed(const std::string& text) {
    auto stages = ckpt::parse_pipeline_layout(text);
    REQUIRE_MESSAGE(stages, stages.error().message);
    Numbers out;
    for (const ckpt::StageLetters& stage : *stages) out.push_back(stage.layers);
    return out;
}

Numbers modules(const std::string& text) {
    auto stages = ckpt::parse_pipeline_layout(text);
    REQUIRE_MESSAGE(stages, stages.error().message);
    Numbers out;
    for (const ckpt::StageLetters& stage : *stages) out.push_back(stage.modules);
    return out;
}

// Without what all messages begin with.
std::string error_of(const std::string& text) {
    auto stages = ckpt::parse_pipeline_layout(text);
    REQUIRE_FALSE(stages);
    CHECK(stages.error().kind == base::ErrorKind::usage);
    constexpr std::string_view kStart = "--pipeline-model-parallel-layout ";
    CHECK(stages.error().message.starts_with(kStart));
    return stages.error().message.substr(kStart.size());
}

const std::string kEnds = " must begin with E (the embedding), end with L (the loss), and have one of each";
const std::string kUnknown = "something else than E, t, m, L, |, commas, parentheses and *N stands at character ";

}  // namespace

TEST_CASE("pipeline layout: letters, repeats, groups and commas") {
    CHECK(parsed("EtttL") == Numbers{3});
    CHECK(parsed("Et|t|L") == Numbers{1, 1, 0});
    CHECK(parsed("E|t*3|L") == Numbers{0, 3, 0});
    CHECK(parsed("Ettt|(tt|)*4,t|L") == Numbers{3, 2, 2, 2, 2, 1, 0});
    CHECK(parsed("E,t,t,|,t,L") == Numbers{2, 1});
    CHECK(parsed("E(t*2|)*2tL") == Numbers{2, 2, 1});
    CHECK(parsed("E||L") == Numbers{0, 0, 0});
    CHECK(parsed("Et*0L") == Numbers{0});
    CHECK(parsed("E()*3tL") == Numbers{1});
}

// As Megatron's own tests of DeepSeek-V3 and its documentation have them.
TEST_CASE("pipeline layout: modules for multi-token prediction are behind the layers, in one stage") {
    CHECK(parsed("Et*2|(tt|)*5t|tmL") == Numbers{2, 2, 2, 2, 2, 2, 1, 1});
    CHECK(modules("Et*2|(tt|)*5t|tmL") == Numbers{0, 0, 0, 0, 0, 0, 0, 1});
    CHECK(parsed("Et*7|t*7mL") == Numbers{7, 7});
    CHECK(modules("Et*3|(tt|)*29,m|L").at(30) == 1);
    CHECK(modules("Et|t|m*2L") == Numbers{0, 0, 2});
    CHECK(modules("Et|tm|L") == Numbers{0, 1, 0});
    CHECK(modules("EtmL") == Numbers{1});
    for (const char* text : {"Etm|tL", "EmtL", "Et|mtL", "Et|m|mL"})
        CHECK(error_of(text) ==
              "\"" + std::string(text) +
                  "\": modules for multi-token prediction (m) stand after all decoder layers (t), and "
                  "in one stage");
}

TEST_CASE("pipeline layout: the final norm is behind the last layer where there are modules") {
    using ckpt::ChunkPosition;
    const auto placed = [](const std::string& layout, int pp, std::uint32_t layers) {
        ckpt::Topology topology;
        topology.pp = pp;
        topology.pipeline_layout = layout;
        auto placement = place_layers(topology, layers);
        REQUIRE_MESSAGE(placement, placement.error().message);
        return *placement;
    };
    const ckpt::Placement apart = placed("Et|t|m|L", 4, 2);
    CHECK(apart.head == ChunkPosition{3, 0});
    CHECK(apart.modules == ChunkPosition{2, 0});
    CHECK(apart.norm == ChunkPosition{1, 0});
    CHECK(apart.module_count == 1u);
    const ckpt::Placement together = placed("Et|tmL", 2, 2);
    CHECK(together.modules == together.head);
    CHECK(together.norm == together.head);
    // Megatron has the norm with the loss where there are none.
    const ckpt::Placement plain = placed("Et|t|L", 3, 2);
    CHECK(plain.norm == plain.head);
    CHECK(plain.modules == plain.head);
    CHECK(plain.module_count == 0u);
    ckpt::Topology early;
    early.pp = 2;
    early.pipeline_layout = "Et|tm|t|L";
    CHECK_FALSE(place_layers(early, 3));
    early.pipeline_layout = "Et|t|m|L";
    CHECK(place_layers(early, 2)->modules == ChunkPosition{0, 1});
    early.pipeline_layout = "Et|tm||L";
    CHECK(place_layers(early, 2).error().message ==
          "--pipeline-model-parallel-layout \"Et|tm||L\": modules for multi-token prediction (m) stand in the last "
          "virtual stage of their rank: in one of the last 2 stages");
}

TEST_CASE("pipeline layout: embedding and loss are at the ends, once") {
    for (const char* text : {"", "t", "E", "L", "Et", "tL", "tEL", "ELt", "EEtL", "EtLL", "E*2tL", "EtL*2", "E*0tL",
                             "|EtL", "EtL|", "(EtL)*2"}) {
        CAPTURE(text);
        CHECK(error_of(text) == "\"" + std::string(text) + "\"" + kEnds);
    }
}

TEST_CASE("pipeline layout: hostile texts are refused, with the place") {
    CHECK(error_of("Etx|L") == "\"Etx|L\": " + kUnknown + "3");
    CHECK(error_of("Et L") == "\"Et L\": " + kUnknown + "3");
    CHECK(error_of("Et)L") == "\"Et)L\": " + kUnknown + "3");
    CHECK(error_of("*3EtL") == "\"*3EtL\": " + kUnknown + "1");
    CHECK(error_of("Et*2*2L") == "\"Et*2*2L\": " + kUnknown + "5");
    CHECK(error_of("Et\xC3\xA9L") == "\"Et\xC3\xA9L\": " + kUnknown + "3");
    CHECK(error_of(std::string("Et\0L", 4)) == std::string("\"Et\0L\": ", 8) + kUnknown + "3");
    CHECK(error_of("E(tL") == "\"E(tL\": unbalanced or nested parentheses at character 2");
    CHECK(error_of("E((t)*2)*2L") == "\"E((t)*2)*2L\": unbalanced or nested parentheses at character 2");
    CHECK(error_of("Et*L") == "\"Et*L\": a number must follow \"*\" at character 3");
    CHECK(error_of("Et*-1L") == "\"Et*-1L\": a number must follow \"*\" at character 3");
    CHECK(error_of("Et*4294967296L") == "\"Et*4294967296L\": a number must follow \"*\" at character 3");
}

TEST_CASE("pipeline layout: repeats neither take all memory nor all time") {
    CHECK(error_of("Et*4294967295L").find("the layout is too long") != std::string::npos);
    CHECK(error_of("E(t*9999)*9999L").find("the layout is too long") != std::string::npos);
    CHECK(error_of("E(t*99999)*4294967295L").find("the layout is too long") != std::string::npos);
    CHECK(parsed("E()*4294967295L") == Numbers{0});
    CHECK(parsed("E,*4294967295L") == Numbers{0});
    std::string many = "E";
    for (int i = 0; i < 50'000; ++i) many += "()*4294967295";
    CHECK(parsed(many + "L") == Numbers{0});
}
