// Questions for CUDA in front of code that only CUDA has, in the same file and in others.
#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::options_for;

namespace {

constexpr const char* kOps =
    "import torch\nfrom torch.utils.cpp_extension import load\n\n_ext = load(name=\"fused\", "
    "sources=[\"fused.cu\"])\n\n\n"
    "class Fused(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return "
    "_ext.forward(x)\n\n\n"
    "class Other:\n    def late(self, x):\n        return _ext.forward(x)\n\n\n"
    "def fused(x):\n    return Fused.apply(x)\n\n\n"
    "def either(x):\n    ours = x.is_cuda\n    if not ours:\n        return x\n    return _ext.forward(x)\n\n\n"
    "def plain(x):\n    return x + 1\n";

// The text of model.py after the migration of a project in which ops.py has CUDA-only code.
std::string migrated_beside_ops(const std::string& model) {
    test::MemoryFileSystem fs;
    fs.add("in/ops.py", kOps);
    fs.add("in/again.py", "from ops import fused as faster\n\n\ndef further(x):\n    return faster(x)\n");
    fs.add("in/model.py", model);
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    return fs.content("out/model.py");
}

std::string guard(const std::string& imports, const std::string& expression) {
    return imports + "\n\n\ndef run(x):\n    if x.is_cuda:\n        return " + expression + "\n    return x\n";
}

bool is_left(const std::string& model) { return migrated_beside_ops(model) == model; }

}  // namespace

TEST_CASE("CUDA-only code of another file: the question in front of it stays") {
    CHECK(is_left(guard("from ops import fused", "fused(x)")));
    CHECK(is_left(guard("import ops", "ops.fused(x)")));
    CHECK(is_left(guard("from ops import Fused", "Fused.apply(x)")));
    CHECK(is_left(guard("from ops import fused as f", "f(x)")));
    CHECK(is_left(guard("from ops import _ext", "_ext.forward(x)")));
    CHECK(is_left(guard("from again import further", "further(x)")));
    CHECK(is_left(
        "from ops import fused\n\n\ndef run(x):\n    if not x.is_cuda:\n        return x\n    return fused(x)\n"));
    CHECK(
        is_left("from ops import fused\n\n\ndef run(x):\n    if not x.is_cuda:\n        return x\n    else:\n        "
                "return fused(x)\n"));
    CHECK(
        is_left("from ops import fused\n\n\ndef run(x):\n    fast = x.is_cuda\n    if fast:\n        return fused(x)\n "
                "   return x\n"));
    CHECK(is_left("from ops import fused\n\n\ndef run(x):\n    return fused(x) if x.is_cuda else x\n"));
}

TEST_CASE("CUDA-only code of another file: other questions change") {
    CHECK_FALSE(is_left(guard("from ops import plain", "plain(x)")));
    // On the NPU its own question says no.
    CHECK_FALSE(is_left(guard("from ops import either", "either(x)")));
    // To make an object does not run what its methods need.
    CHECK_FALSE(is_left(guard("from ops import Other", "Other()")));
    CHECK_FALSE(
        is_left("from ops import fused\n\n\ndef run(x):\n    if x.is_cuda:\n        return x\n    return x + 1\n"));
}

TEST_CASE("CUDA-only code of the same file: what a variable keeps, and a question that a variable keeps") {
    test::MemoryFileSystem fs;
    fs.add("in/ops.py", kOps);
    REQUIRE(run(options_for(Command::migrate, "in"), fs));
    CHECK(fs.content("out/ops.py") == kOps);
}

TEST_CASE("CUDA-only code of another file: the question in front of the import of its module stays") {
    const std::string begin = "import torch\nif torch.cuda.is_available():\n    ";
    const std::string end = "\nelse:\n    from slow import rms\nprint(rms)\n";
    const auto is_left_alone = [&](const std::string& import) {
        test::MemoryFileSystem fs;
        fs.add("in/fast.py", "import fused_rms_cuda\n\n\ndef rms(x):\n    return fused_rms_cuda.rms(x)\n");
        fs.add("in/further.py", "import fast\n");
        fs.add("in/slow.py", "def rms(x):\n    return x\n");
        fs.add("in/model.py", begin + import + end);
        REQUIRE(run(options_for(Command::migrate, "in"), fs));
        return fs.content("out/model.py") == begin + import + end;
    };
    CHECK(is_left_alone("from fast import rms"));
    CHECK(is_left_alone("import fast as rms"));
    CHECK(is_left_alone("import further as rms"));
    CHECK_FALSE(is_left_alone("import slow as rms"));
}
