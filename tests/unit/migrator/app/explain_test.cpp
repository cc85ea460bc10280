#include "migrator/app/explain.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "base/json.h"
#include "migrator/app/rule_examples.h"
#include "migrator/app/rule_pages.h"
#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

base::Result<std::string> explained(std::string word, bool json = false) {
    Options options;
    options.command = Command::explain;
    options.explained = std::move(word);
    options.json = json;
    return explain_page(options, base::real_file_system());
}

// The page, which must have these texts in this order.
void check_page(const std::string& word, std::initializer_list<std::string_view> texts) {
    CAPTURE(word);
    const auto page = explained(word);
    REQUIRE(page);
    std::size_t at = 0;
    for (const std::string_view text : texts) {
        CAPTURE(text);
        at = page->find(text, at);
        REQUIRE_MESSAGE(at != std::string::npos, *page);
    }
}

// Ids of rules whose row in the data has a fix.
std::set<std::string> rules_with_fix(const base::DataStore& store) {
    std::set<std::string> out;
    for (const std::string& path : store.list("rules/", ".json")) {
        if (!RuleSet::is_read(path)) continue;
        const auto document = base::parse_json(*store.find(path), path);
        REQUIRE(document);
        const base::Json* rules = document->root.find("rules");
        if (rules == nullptr) continue;
        for (const base::Json& rule : *rules->array()) {
            if (rule.find("fix") != nullptr) out.insert(std::string(*rule.find("id")->string()));
        }
    }
    return out;
}

}  // namespace

TEST_CASE("explain: what a rule means, what its fix needs, an example, and the names of a table") {
    check_page("method.cuda", {"method.cuda (warning, cuda_api)\n\n", "A fix needs: likely\n",
                               "A fix imports: torch_npu, after the import of torch\n",
                               "Source: ", "Example:\n  - net.cuda()\n  + net.npu()\n",
                               "Names:\n  torch.Tensor.cuda -> torch.Tensor.npu\n"});
    check_page("cuda.renamed", {"Example:\n", "-> torch.npu.", "... and "});
    check_page("advice.host_read", {"Only in code that runs in each round of a training loop.\n", "Example:\n  "});
    check_page("transfer.path", {"Example of the style auto:\n"});
}

TEST_CASE("explain: every rule has an example, and every rule with a fix shows what it writes") {
    const base::DataStore store;
    const std::set<std::string> with_fix = rules_with_fix(store);
    REQUIRE(with_fix.size() > 50);
    std::set<std::string> all, with_example, with_result;
    for (const StyleKind style : {StyleKind::npu, StyleKind::portable, StyleKind::automatic}) {
        const auto knowledge = load_knowledge(base::real_file_system(), "", style);
        REQUIRE(knowledge);
        for (const auto& rule : knowledge->rules.rules) {
            CAPTURE(rule->id);
            if (!rule->holds_in.empty()) continue;  // examples are of the newest version
            all.insert(rule->id);
            const auto example = example_of(*knowledge, *rule);
            if (!example) continue;
            with_example.insert(rule->id);
            if (!example->after.empty()) with_result.insert(rule->id);
            CHECK(!example->before.empty());
            CHECK(example->before != example->after);
            CHECK(example->before.find("# expect") == std::string::npos);
        }
    }
    std::vector<std::string> without_example, without_result;
    std::set<std::string> shown;
    std::set_intersection(with_fix.begin(), with_fix.end(), all.begin(), all.end(), std::inserter(shown, shown.end()));
    std::set_difference(all.begin(), all.end(), with_example.begin(), with_example.end(),
                        std::back_inserter(without_example));
    std::set_difference(shown.begin(), shown.end(), with_result.begin(), with_result.end(),
                        std::back_inserter(without_result));
    // It speaks of calls into a library that was analysed; a case is one file.
    CHECK(without_example == std::vector<std::string>{"library.reaches"});
    CHECK(without_result == std::vector<std::string>{});
}

TEST_CASE("explain: of a word, what the rules say where it stands, and how versions support it") {
    check_page("torch.cuda.amp.autocast",
               {"torch.cuda.amp.autocast\n\nAs a name in Python (amp.renamed, ", "- print(torch.cuda.amp.autocast)\n",
                "+ print(torch.npu.amp.autocast)\n", "Source: "});
    check_page("torch.nn.functional.gelu",
               {"On the NPU, by version of PyTorch:\n  2.1", "Rules that look at its calls: "});
    check_page("flash-attn", {"As a package (third_party.replacement, "});
    check_page("CUDA_VISIBLE_DEVICES",
               {"As an environment variable (env.renamed, ", "+ export ASCEND_RT_VISIBLE_DEVICES"});
    check_page("nvidia-smi", {"As a word in scripts (launch.nvidia_smi, "});
    check_page("cudaMalloc", {"As a name in C++ and CUDA (", "aclrtMalloc"});
    check_page("numpy", {"As a package:\n"});
}

TEST_CASE("explain: as JSON") {
    const auto rule = base::parse_json(*explained("method.is_cuda", true), "rule");
    REQUIRE(rule);
    CHECK(*rule->root.find("id")->string() == "method.is_cuda");
    CHECK(*rule->root.find("example")->find("style")->string() == "npu");
    CHECK(rule->root.find("example")->find("after")->string()->find("is_npu") != std::string_view::npos);
    const auto word = base::parse_json(*explained("torch.cuda.synchronize", true), "word");
    REQUIRE(word);
    CHECK(*word->root.find("word")->string() == "torch.cuda.synchronize");
    CHECK(*word->root.find("says")->array()->front().find("after")->string() == "print(torch.npu.synchronize)");
}

TEST_CASE("explain: a rule of a user's own directory has its example there") {
    test::MemoryFileSystem fs;
    Options options;
    options.command = Command::rules_new;
    options.paths = {"own/house.json"};
    REQUIRE(rule_pages(options, fs));
    options.command = Command::explain;
    options.rules = "own";
    options.explained = "house.example";
    const auto page = explain_page(options, fs);
    REQUIRE(page);
    CHECK(page->find("Example:\n  - ") != std::string::npos);
}

TEST_CASE("explain: of what nobody knows, rules that are alike are named") {
    const auto wrong = explained("method.cudda");
    REQUIRE(!wrong);
    CHECK(wrong.error().kind == base::ErrorKind::usage);
    CHECK(wrong.error().text().find("; did you mean \"method.cuda\"?") != std::string::npos);
    CHECK(explained("method.nothing_like_it").error().text().find("method.cuda,") != std::string::npos);
    // Its first part is a package that the rules know, and would be explained.
    const auto package = explained("cuda.renamd");
    REQUIRE(!package);
    CHECK(package.error().text().find("; did you mean \"cuda.renamed\"?") != std::string::npos);
    CHECK(explained("no such thing").error().kind == base::ErrorKind::usage);
}
