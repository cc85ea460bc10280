#include <doctest/doctest.h>

#include "base/format.h"
#include "migrator/text/read_text.h"

using migrator::FileType;

namespace {

const std::vector<std::string> kDirectives{"#SBATCH"};

migrator::TextContents read(FileType type, std::string_view text) {
    return migrator::read_text(type, text, kDirectives);
}

// "key=value key=value"
std::string settings(FileType type, std::string_view text) {
    const auto contents = read(type, text);
    std::string out;
    for (const auto& setting : contents.settings)
        out += base::format("{}{}={}", out.empty() ? "" : " ", contents.name_of(setting.key), setting.text);
    return out;
}

// "word word|word"
std::string commands(FileType type, std::string_view text) {
    std::string out;
    for (const auto& command : read(type, text).commands) {
        if (!out.empty()) out += '|';
        for (std::size_t i = 0; i < command.words.size(); ++i)
            out += (i > 0 ? " " : "") + std::string(command.words[i]);
    }
    return out;
}

std::string code(FileType type, std::string_view text) {
    std::string out;
    for (const std::string_view line : read(type, text).code) out += std::string(line) + "|";
    return out;
}

}  // namespace

TEST_CASE("text: how many lists a setting is in behind its key, and what YAML gives a name") {
    const auto lists = [](FileType type, std::string_view text) {
        std::string out;
        for (const auto& setting : read(type, text).settings) out += base::format("{}{} ", setting.text, setting.lists);
        return out;
    };
    CHECK(lists(FileType::json, R"({"a": ["x", ["y"], {"b": "z", "c": ["w"]}], "d": "v"})") == "x1 y2 z0 w1 v0 ");
    CHECK(lists(FileType::yaml, "a:\n- x\n- - y\n- b: z\n  c: [w]\nd: v\n") == "x1 y2 z0 w1 v0 ");
    CHECK(lists(FileType::toml, "a = [\"x\", [\"y\"]]\nd = \"v\"\n") == "x1 y2 v0 ");
    const auto contents = read(FileType::yaml, "x-gpu: &gpu\n  r: n\nb: {c: &c [1]}\n&k d: *gpu\n");
    REQUIRE(contents.anchors.size() == 2);
    CHECK(contents.anchors[0].name == "gpu");
    CHECK(contents.name_of(contents.anchors[0].key) == "x-gpu");
    CHECK(contents.name_of(contents.anchors[1].key) == "c");
}

TEST_CASE("text: variables, options and commands of a shell") {
    const auto shell = FileType::shell;
    CHECK(settings(shell, "A=1 B='x y' run --device cuda --name=z a.b=c") == "A=1 B=x y device=cuda name=z b=c");
    CHECK(commands(shell, "A=1 run x && sudo stop; go | tee") == "run x|sudo stop|go|tee");
    CHECK(commands(shell, "if true; then run; fi") == "true|run");
    CHECK(commands(shell, "x=$(nvidia-smi -L | wc -l) && `run`") == "nvidia-smi -L|wc -l|run|`run`");
    CHECK(commands(shell, "run a \\\n  b # c\nnext") == "run a b|next");
    CHECK(commands(shell, "run 2>&1 > log < in") == "run in");
    CHECK(settings(shell, "d=(cuda:0 \"cuda:1\")\nd+=(x)") == "d=cuda:0 d=cuda:1 d=x");
    CHECK(settings(shell, "A=(\n  --device cuda\n  --x=y # z\n  --flag\n)") == "device=cuda x=y");
    CHECK(settings(shell, "case $D in cuda) a=(--device cuda b) ;; esac") == "D=cuda device=cuda device=b");
    CHECK(settings(shell, "for d in cuda cpu; do run; done") == "d=cuda d=cpu");
    CHECK(settings(shell, "[ \"$D\" = cuda ] || [[ $E == 'x' ]]") == "D=cuda E=x");
    CHECK(settings(shell, "case $D in cuda) run --x 1;; cpu) stop;; esac") == "D=cuda x=1 D=cpu");
    CHECK(settings(shell, "sh -c 'run --device cuda' \"--x='y'\"").find("device=cuda") != std::string::npos);
    CHECK(commands(shell, "echo don't run --x y") == "echo don't run --x y");
    CHECK(settings(shell, "cat <<E > c.yaml\ndevice: cuda\nE\nX=1") == "device=cuda X=1");
    CHECK(settings(shell, "#SBATCH --gres=gpu:8\n# --x=y") == "gres=gpu:8");
    CHECK(code(shell, "a # b\n#SBATCH -x\n'#c\nd' e") == "a |#SBATCH -x|'#c|d' e|");
}

TEST_CASE("text: Dockerfiles and makefiles hold commands of a shell") {
    const auto docker = FileType::dockerfile;
    CHECK(commands(docker, "FROM a:1 AS b\nRUN x && \\\n  # c\n  y\nCMD [\"p\", \"--d\", \"cuda\"]") ==
          "FROM a:1 AS b|x|y|p --d cuda");
    CHECK(settings(docker, "ENV A=1 B=2\nENV C d e\nARG F=g\nCMD [\"p\", \"--d\", \"cuda\"]") ==
          "A=1 B=2 C=d e F=g d=cuda");
    const auto make = FileType::makefile;
    CHECK(settings(make, "A ?= cuda\nB := $(A) x\nt: u\n\t@C=1 run --d $(A) --e $$X") ==
          "A=cuda B=$(A) x C=1 d=$(A) e=$$X");
    CHECK(commands(make, "t:\n\t-run $(A)\n\tx $(shell y z) $$(w)") == "t:|run $(A)|y z|w|x $(shell y z) $$(w)");
}

TEST_CASE("text: YAML by its indentation and in brackets") {
    const auto yaml = FileType::yaml;
    CHECK(settings(yaml, "a: b\nc:\n  - d\n  - e: f\n    g: h\ni:\n- j\n") == "a=b c=d e=f g=h i=j");
    CHECK(settings(yaml, "a: [b, 'c', {d: e}]\nf: {g: [h], \"i\": j}\nk: [l,\n  m]\nn: o") ==
          "a=b a=c d=e g=h i=j k=l k=m n=o");
    CHECK(settings(yaml, "a: &x b # c\nd: !!str e\nf: *x\n? g\n: h") == "a=b d=e f=*x =g =h");
    CHECK(settings(yaml, "a: ${oc.env:X,cuda}\nb: [\"${c:d,e}\", ${f:g,h}]") ==
          "a=${oc.env:X,cuda} b=${c:d,e} b=${f:g,h}");
    CHECK(settings(yaml, "a:\n  b\n--- \nc: 'd\n  e'\nf: g") == "a=b c=d\n  e f=g");
    CHECK(commands(yaml, "run: |\n  x --y\n  # c\n  z\nb: >\n  p -q\n  r\nc: d") == "x --y|z|p -q r");
    CHECK(settings(yaml, "a: \"b\nc: d") == "a=\"b c=d");
    CHECK(code(yaml, "a: b # c\n# d\ne: |\n  f # g\n") == "a: b |e: ||  f |");
    const auto nested = read(yaml, "a:\n  b:\n    c: d");
    CHECK(nested.name_of(nested.keys[nested.settings[0].key].parent) == "b");
}

TEST_CASE("text: JSON, TOML and INI") {
    CHECK(settings(FileType::json, R"({"a": "b", "c": ["d", {"e": "f"}], "g": [1, 2, 3], "h": 4})") ==
          "a=b c=d e=f g=1 h=4");
    CHECK(settings(FileType::toml,
                   "a = \"b\" # c\n[d.e]\nf.g = 'h'\ni = [\"j\",\n \"k\"]\nl = {m = \"n\"}\no = '''p\nq'''\n") ==
          "a=b g=h i=j i=k m=n o=p\nq");
    CHECK(settings(FileType::ini, "[s]\na = b ; c\nd: e\nf =\n  g\n  h\n; i = j") == "a=b ; c d=e f=g f=h");
    CHECK(settings(FileType::setup_cfg, "[options.extras_require]\na =\n  b>=1") == "a=b>=1");
}

TEST_CASE("text: places are those of the file") {
    const std::string_view text = "x: y\ndevice: cuda\n";
    const auto contents = read(FileType::yaml, text);
    CHECK(contents.place(contents.settings[1].text) == base::ByteRange{13, 17});
}

TEST_CASE("text: what is deep, long or broken ends, and in a time that grows with it") {
    const auto repeated = [](std::string_view part, int count) {
        std::string out;
        for (int i = 0; i < count; ++i) out += part;
        return out;
    };
    for (const std::string_view part : {"$(",           "\"$(",       "`",         "'",
                                        "\"",           "${a:-",      "(",         "a=(",
                                        "case x in ",   "<<A ",       "cat <<A\n", "cat <<A > c.yaml\nx: |\n ",
                                        "if x; then\n", "\\",         "\\\n",      "[",
                                        "{a: ",         "- ",         "? ",        "a: |\n",
                                        "a: \"\n",      "a: 'b\n",    " - a:\n",   "{{ ",
                                        "a = [\n",      "a = '''\n",  "#",         "=",
                                        ": ",           "x: y: ",     "&a ",       "\t",
                                        "RUN \\\n",     "ENV ",       "$(shell ",  "$$(",
                                        "\r",           "a \"b 'c\" "}) {
        for (const auto type : migrator::kAllFileTypes) {
            CAPTURE(part);
            const std::string text = repeated(part, 2000);
            const auto contents = read(type, text);
            CHECK(contents.settings.size() <= text.size());
        }
    }
}
