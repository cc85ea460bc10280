#include "migrator/app/options.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

// What the settings are read from.
test::MemoryFileSystem& files() {
    static test::MemoryFileSystem fs;
    return fs;
}

base::Result<CommandLine> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "migrator");
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data(), files());
}

Options options(std::vector<const char*> arguments) {
    auto line = parse(std::move(arguments));
    REQUIRE(line);
    REQUIRE(line->options);
    return *line->options;
}

std::string usage_error(std::vector<const char*> arguments) {
    auto line = parse(std::move(arguments));
    REQUIRE(!line);
    CHECK(line.error().kind == base::ErrorKind::usage);
    return line.error().text();
}

}  // namespace

TEST_CASE("options: a path alone is analysed; help and version are commands too") {
    files().add("alone/train.py", "");
    CHECK(options({"alone", "-q"}).command == Command::analyze);
    CHECK(options({"alone/train.py"}).paths == std::vector<base::Path>{"alone/train.py"});
    CHECK(options({"-"}).reads_standard_input());
    CHECK(parse({"version"})->text == parse({"--version"})->text);
    CHECK(parse({"help", "rules", "list"})->text == parse({"rules", "list", "--help"})->text);
}

TEST_CASE("options: analyze") {
    Options plain = options({"analyze", "a", "b"});
    CHECK(plain.command == Command::analyze);
    CHECK(plain.paths == std::vector<base::Path>{"a", "b"});
    CHECK(plain.report_directory.empty());
    CHECK(plain.threads == 0);
    CHECK(plain.progress);
    CHECK(!plain.fail_on);
    Options full = options({"analyze", "--report",      "r/",   "--format",  "html,diff", "--include",
                            "*.py",    "--include",     "*.sh", "--exclude", "old/",      "-j",
                            "3",       "--rules",       "more", "--fail-on", "warning",   "--json",
                            "-v",      "--no-progress", "in"});
    CHECK(full.paths == std::vector<base::Path>{"in"});
    CHECK(full.report_directory == "r");
    CHECK(full.formats == std::vector<std::string>{"html", "diff"});
    CHECK(full.include == std::vector<std::string>{"*.py", "*.sh"});
    CHECK(full.exclude == std::vector<std::string>{"old/"});
    CHECK(full.threads == 3);
    CHECK(full.rules == "more");
    CHECK(full.fail_on == Severity::warning);
    CHECK(full.json);
    CHECK(full.verbose);
    CHECK(!full.progress);
}

TEST_CASE("options: migrate puts the report beside the output") {
    Options plain = options({"migrate", "in", "-o", "out/"});
    CHECK(plain.command == Command::migrate);
    CHECK(plain.output == "out");
    CHECK(plain.report_directory == "out_report");
    CHECK(plain.apply == ApplyMode::safe);
    Options full = options({"migrate", "-o", "out", "--report", "r", "--apply", "none", "-q", "in"});
    CHECK(full.report_directory == "r");
    CHECK(full.apply == ApplyMode::none);
    CHECK(!full.progress);
}

TEST_CASE("options: help and version are text, not errors") {
    for (std::vector<const char*> arguments :
         {std::vector<const char*>{"--help"}, {"analyze", "-h"}, {"migrate", "--help"}}) {
        auto line = parse(arguments);
        REQUIRE(line);
        CHECK(!line->options);
        CHECK(line->text.find("Examples:") != std::string::npos);
    }
    CHECK(parse({"migrate", "--help"})->text.find("--output OUT") != std::string::npos);
    CHECK(parse({"--version"})->text.starts_with("migrator "));
}

TEST_CASE("options: where the result of a migration goes") {
    CHECK(options({"migrate", "in", "-o", "out"}).destination == Destination::copy);
    CHECK(options({"migrate", "in", "--in-place"}).destination == Destination::in_place);
    CHECK(options({"migrate", "in", "--diff"}).destination == Destination::diff);
    CHECK(options({"migrate", "in", "--check"}).destination == Destination::check);
    CHECK(options({"migrate", "in", "--check"}).report_directory.empty());
    CHECK(options({"explain", "a.b"}).explained == "a.b");
    CHECK(options({"rules"}).command == Command::rules_list);
}

TEST_CASE("options: wrong usage says what is wrong and where the help is") {
    CHECK(usage_error({}).find("migrator --help") != std::string::npos);
    CHECK(usage_error({"analyze"}).find("PATH is required; see migrator analyze --help") != std::string::npos);
    CHECK(usage_error({"migrate", "in"}).find("--output OUT, --in-place, --diff or --check") != std::string::npos);
    CHECK(usage_error({"migrate", "in", "-o", "out", "--check"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"migrate", "in", "--diff", "--json"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"transmogrify", "in"}).find("transmogrify") != std::string::npos);
    CHECK(usage_error({"analyse", "in"}).find("; did you mean \"analyze\"?") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--styl", "npu"})
              .find("unexpected argument: --styl; did you mean \"--style\"?") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--style", "portble"}).find("; did you mean \"portable\"?") !=
          std::string::npos);
    CHECK(usage_error({"rules", "lst"}).find("; did you mean \"list\"?") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--nope"}).find("--nope") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--report", "r", "--format", "pdf"}).find("pdf") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--format", "html"}).find("--report") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "-j", "0"}).find("--jobs") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--fail-on", "sometimes"}).find("sometimes") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "-q", "-v"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"analyze", ""}).find("PATH: the value is empty") != std::string::npos);
    CHECK(usage_error({"migrate", "a", "b", "-o", "out"}).find("a copy is made of one PATH") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--apply", "none"}) != "");
}

TEST_CASE("options: standard input goes to standard output") {
    Options plain = options({"migrate", "-"});
    CHECK(plain.reads_standard_input());
    CHECK(plain.destination == Destination::text);
    CHECK(plain.stdin_name == "stdin.py");
    CHECK(plain.report_directory.empty());
    CHECK(options({"migrate", "-", "--diff"}).destination == Destination::diff);
    CHECK(options({"analyze", "-", "--stdin-name", "run.sh"}).stdin_name == "run.sh");
    CHECK(usage_error({"migrate", "-", "--in-place"}).find("standard output") != std::string::npos);
    CHECK(usage_error({"migrate", "-", "-o", "out"}).find("standard output") != std::string::npos);
    CHECK(usage_error({"analyze", "-", "a.py"}).find("standard input") != std::string::npos);
}

TEST_CASE("options: many paths, except for a copy") {
    CHECK(options({"migrate", "a", "b", "--in-place"}).paths.size() == 2);
    CHECK(options({"migrate", "a", "b", "--diff"}).destination == Destination::diff);
    CHECK(usage_error({"migrate", "a", "--diff", "--force"}).find("--force") != std::string::npos);
}

TEST_CASE("options: settings are those of the nearest pyproject.toml of the repository, and the command line wins") {
    files().add("set/.git/HEAD", "");
    files().add("set/pyproject.toml",
                "[tool.migrator]\nexclude = [\"old/\", \"*.gen.py\"]\nfail-on = \"error\"\njobs = 2\n"
                "rules = \"own\"\napply = \"none\"\nverbose = true\n");
    files().add("set/pkg/a.py", "");
    files().add("set/pkg/pyproject.toml", "[project]\nname = \"pkg\"\n");
    Options found = options({"migrate", "set/pkg", "--check"});
    CHECK(found.exclude == std::vector<std::string>{"old/", "*.gen.py"});
    CHECK(found.fail_on == Severity::error);
    CHECK(found.threads == 2);
    // Rules from above the first path only by --rules.
    CHECK(found.rules.empty());
    CHECK(found.apply == ApplyMode::none);
    CHECK(found.verbose);
    Options said = options({"analyze", "set/pkg/a.py", "--fail-on", "never", "--exclude", "x", "-j", "1"});
    CHECK(!said.fail_on);
    CHECK(said.exclude == std::vector<std::string>{"x"});
    CHECK(said.threads == 1);
    CHECK(options({"analyze", "set", "--no-config"}).exclude.empty());
    CHECK(options({"analyze", "elsewhere", "--config", "set/pyproject.toml"}).threads == 2);
}

TEST_CASE("options: settings end at the repository, and those of others are not ours") {
    files().add("repo/pyproject.toml", "[tool.migrator]\njobs = 2\n");
    files().add("repo/inner/.git/HEAD", "");
    CHECK(options({"analyze", "repo/inner"}).threads == 0);
    files().add("broken/pyproject.toml", "[project\n");
    CHECK(options({"analyze", "broken"}).threads == 0);
}

TEST_CASE("options: a wrong setting names its place and what was meant") {
    auto wrong = [](const char* text) {
        files().add("wrong/pyproject.toml", text);
        return usage_error({"analyze", "wrong"});
    };
    CHECK(wrong("[tool.migrator]\nexlude = []\n") ==
          "wrong/pyproject.toml:2:10: \"exlude\" is not a setting; did you mean \"exclude\"?");
    CHECK(wrong("[tool.migrator]\njson = true\n").find("\"json\" is not a setting") != std::string::npos);
    CHECK(wrong("[tool.migrator]\nqqqqqqqq = 1\n").find("there are ") != std::string::npos);
    CHECK(wrong("[tool.migrator]\njobs = 0\n").find(":2:8: --jobs") != std::string::npos);
    CHECK(wrong("[tool.migrator]\nexclude = [1.5]\n").find(":2:11: \"exclude\" must be") != std::string::npos);
    CHECK(wrong("[tool.migrator]\nexclude = [\n").find("not TOML") != std::string::npos);
    // What toml++ takes for granted.
    CHECK(wrong("[tool.migrator]\n[=]\n").find("not TOML") != std::string::npos);
    CHECK(wrong("[tool.migrator]\njobs = 1\u023d\n").find("not TOML") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--config", "nowhere.toml"}).find("nowhere.toml") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--config", "repo/inner/.git/HEAD"}).find("[tool.migrator]") !=
          std::string::npos);
    CHECK(usage_error({"analyze", "in", "--config", "x", "--no-config"}).find("exclude each other") !=
          std::string::npos);
}

TEST_CASE("options: the command lines of the older tool are understood") {
    Options plain = options({"-i", "my/net", "-o", "out", "-v", "2.1.0", "-s"});
    CHECK(plain.command == Command::migrate);
    CHECK(plain.paths == std::vector<base::Path>{"my/net"});
    CHECK(plain.output == "out/net_msft");
    REQUIRE(plain.notes.size() == 2);
    CHECK(plain.notes[0] == "The new way to write this: migrator migrate my/net -o out/net_msft --torch-version 2.1.0");
    CHECK(options({"-i", "my net", "-o", "$(x)"}).notes[0] ==
          "The new way to write this: migrator migrate 'my net' -o '$(x)/my net_msft'");
    CHECK(usage_error({"-i", "my net"}).find("migrator migrate 'my net' -o OUT") != std::string::npos);
    CHECK(options({"--input", "net/", "--output", "out", "-m"}).output == "out/net_msft");
    Options analysis = options({"-i", "net", "-o", "out", "-m", "torch_apis", "-env", "a", "b"});
    CHECK(analysis.command == Command::analyze);
    CHECK(analysis.report_directory == "out/net_analysis");
    CHECK(!analysis.library);
    Options library = options({"-i", "lib", "-o", "out", "-m", "third_party", "-v", "2.6.0"});
    CHECK(library.command == Command::analyze);
    CHECK(library.library);
    CHECK(library.library_result == "out/lib_analysis.json");
    CHECK(library.report_directory.empty());
    CHECK(usage_error({"-i", "net"}).find("migrator migrate net -o OUT") != std::string::npos);
    CHECK(usage_error({"-i"}).find("-i needs a value") != std::string::npos);
    CHECK(usage_error({"-i", "net", "-o", "out", "-m", "magic"}).find("torch_apis") != std::string::npos);
    CHECK(usage_error({"-i", "net", "-o", "out", "--nope"}).find("--nope") != std::string::npos);
    CHECK(usage_error({"-i", "net", "-o", "out", "distributed"}).find("-m MAIN") != std::string::npos);
}
