// What a run says of custom operators, and the skeletons that it writes.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::options_for;

namespace {

// Two extensions with the same names in them, and one that looks for its sources.
void add_project(test::MemoryFileSystem& fs) {
    fs.add("in/csrc/lltm.cpp",
           "std::vector<at::Tensor> lltm_cuda(at::Tensor x);\n"
           "std::vector<at::Tensor> lltm_forward(at::Tensor x) { return lltm_cuda(x); }\n"
           "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {\n"
           "  m.def(\"forward\", &lltm_forward);\n  m.def(\"backward\", &lltm_backward);\n}\n");
    fs.add("in/csrc/lltm_kernel.cu",
           "__global__ void lltm_kernel(float* x) {}\n"
           "std::vector<at::Tensor> lltm_cuda(at::Tensor x) { lltm_kernel<<<1, 2>>>(x); return {}; }\n");
    fs.add("in/csrc/nms.cpp", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"forward\", &nms_cuda); }\n");
    fs.add("in/setup.py",
           "from torch.utils.cpp_extension import CUDAExtension\n"
           "modules = [CUDAExtension(\"lltm_cuda\", [\"./csrc/lltm.cpp\", \"csrc/lltm_kernel.cu\"]),\n"
           "           CUDAExtension(name=\"pkg.nms_cuda\", sources=[\"csrc/nms.cpp\"])]\n");
    fs.add("in/use.py",
           "import lltm_cuda\nimport torch\nfrom pkg import nms_cuda\n\n\n"
           "class LLTM(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
           "        return lltm_cuda.forward(x)\n\n    @staticmethod\n    def backward(ctx, g):\n"
           "        return lltm_cuda.backward(g)\n\n\nkept = nms_cuda.forward(1, 2)\n");
    fs.add("in/ops/setup.py",
           "import glob\nfrom torch.utils.cpp_extension import CUDAExtension\n"
           "module = CUDAExtension(\"MultiScaleDeformableAttention\", glob.glob(pattern))\n");
    fs.add(
        "in/ops/src/vision.cpp",
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"ms_deform_attn_forward\", &ms_deform_attn_forward); }\n");
    fs.add("in/ops/use.py", "import MultiScaleDeformableAttention as MSDA\n\nMSDA.ms_deform_attn_forward(1)\n");
}

const OperatorRow& operator_named(const Report& report, std::string_view name) {
    const auto found = std::find_if(report.operators.begin(), report.operators.end(),
                                    [&](const OperatorRow& row) { return row.name == name; });
    REQUIRE(found != report.operators.end());
    return *found;
}

}  // namespace

TEST_CASE("pipeline: one entry for each operator and its gradient, with all its places") {
    test::MemoryFileSystem fs;
    add_project(fs);
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const Report& report = result->report;
    REQUIRE(report.operators.size() == 3);
    const OperatorRow& lltm = operator_named(report, "lltm_cuda.forward");
    CHECK(lltm.signature == "forward(at::Tensor x) -> std::vector<at::Tensor>");
    CHECK(lltm.gradient == "backward");
    CHECK(lltm.wrappers == std::vector<std::string>{"LLTM"});
    CHECK(lltm.calls == std::vector<std::string>{"use.py:9", "use.py:13"});
    REQUIRE(lltm.kernels.size() == 1);
    CHECK(lltm.kernels[0].place == "csrc/lltm_kernel.cu:1");
    CHECK(lltm.functions[0].place == "csrc/lltm.cpp:2");
    CHECK(lltm.what.empty());
    CHECK(lltm.effort == Effort::rewrite);  // of its kernel
    const ReportFile* file = file_named(report, "csrc/lltm.cpp");
    REQUIRE(file != nullptr);
    REQUIRE(file->findings.size() == 1);
    CHECK(file->findings[0].id == lltm.finding_id);
    CHECK(file->findings[0].also == std::vector<std::string>{"csrc/lltm.cpp:5", "csrc/lltm_kernel.cu:1"});
    CHECK(file->findings[0].outcome.finding.message.text().ends_with(
        " Its gradient is backward. It runs on kernels: lltm_kernel. It is called from use.py:9, use.py:13."));
}

TEST_CASE("pipeline: a known operator is named with what stands for it") {
    test::MemoryFileSystem fs;
    add_project(fs);
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const OperatorRow& nms = operator_named(result->report, "pkg.nms_cuda.forward");
    CHECK(nms.what == "non-maximum suppression of boxes");
    CHECK(nms.replacement == "torchvision.ops.nms");
    CHECK(nms.calls == std::vector<std::string>{"use.py:16"});
    const OperatorRow& attention =
        operator_named(result->report, "MultiScaleDeformableAttention.ms_deform_attn_forward");
    CHECK(attention.what == "multi-scale deformable attention");
    CHECK(attention.calls == std::vector<std::string>{"ops/use.py:3"});
    const ReportFile* file = file_named(result->report, "csrc/nms.cpp");
    REQUIRE(file != nullptr);
    REQUIRE(file->findings.size() == 1);
    const Finding& finding = file->findings[0].outcome.finding;
    CHECK(finding.rule == "custom_ops.known_operator");
    CHECK(finding.effort == Effort::replace);
    CHECK(
        finding.message.text() ==
        "forward computes non-maximum suppression of boxes. Use torchvision.ops.nms in its place. It returns the kept "
        "indices by falling score; import torchvision_npu after torchvision. It is called from use.py:16.");
}

TEST_CASE("pipeline: a signature in another file tells that an operator only has a known one's name") {
    test::MemoryFileSystem fs;
    fs.add("in/bind.cpp", "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"nms\", &nms); }\n");
    fs.add("in/sound.cu",
           "__global__ void filter(float* x) {}\nat::Tensor nms(at::Tensor sound) { filter<<<1, 2>>>(p); return sound; "
           "}\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    const ReportFile* file = file_named(result->report, "bind.cpp");
    REQUIRE(file != nullptr);
    CHECK(file->findings[0].outcome.finding.rule == "custom_ops.pybind");
    CHECK(file->findings[0].outcome.finding.effort == Effort::rewrite);
    CHECK(operator_named(result->report, "nms").what.empty());
}

TEST_CASE("pipeline: skeletons are new files only") {
    test::MemoryFileSystem fs;
    add_project(fs);
    Options options = options_for(Command::analyze, "in");
    options.skeleton = "new/npu_ops";
    const auto result = run(options, fs);
    REQUIRE(result);
    const std::string stub = fs.content("new/npu_ops/lltm_cuda_forward.py");
    CHECK(stub.find("SCHEMA = \"(Tensor x) -> Tensor[]\"\n") != stub.npos);
    CHECK(stub.find(
              "raise NotImplementedError(\"lltm_kernel of csrc/lltm_kernel.cu:1 is not written for the NPU yet\")") !=
          stub.npos);
    CHECK(stub.find("for _key in (\"CPU\", \"PrivateUse1\"):") != stub.npos);
    CHECK(fs.content("new/npu_ops/pkg_nms_cuda_forward.py").find("\ndef nms(boxes: Tensor") != std::string::npos);
    CHECK(fs.content("new/npu_ops/__init__.py") ==
          "from . import lltm_cuda_forward\nfrom . import pkg_nms_cuda_forward\n"
          "from . import MultiScaleDeformableAttention_ms_deform_attn_forward\n");
    CHECK(fs.content("new/npu_ops/README.md").find("`python -m npu_ops.check_gradients`") != std::string::npos);
    const auto again = run(options, fs);
    REQUIRE_FALSE(again);
    CHECK(again.error().kind == base::ErrorKind::usage);
}

TEST_CASE("pipeline: without operators no skeletons are written, and that is said") {
    test::MemoryFileSystem fs;
    fs.add("in/a.py", "import torch\n");
    Options options = options_for(Command::analyze, "in");
    options.skeleton = "new";
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK_FALSE(fs.exists("new"));
    CHECK(std::any_of(result->report.notes.begin(), result->report.notes.end(), [](const base::Message& note) {
        return note.text() == "No skeletons were written: the C++ sources offer no operators to Python.";
    }));
}

TEST_CASE("pipeline: rules of the chosen road to Megatron") {
    test::MemoryFileSystem fs;
    const std::string script = "import numpy\nimport torch\nfrom megatron.training import pretrain\n\npretrain()\n";
    fs.add("in/train.py", script);
    Options options = options_for(Command::migrate, "in");
    options.output = "mindspeed";
    REQUIRE(run(options, fs));
    CHECK(fs.content("mindspeed/train.py") == script);
    options.output = "adaptor";
    options.megatron = "adaptor";
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK(
        fs.content("adaptor/train.py") ==
        "import numpy\nimport torch\nimport megatron_adaptor\nfrom megatron.training import pretrain\n\npretrain()\n");
    fs.add("in/train.py", "from megatron.training import pretrain\nimport torch\n\npretrain()\n");
    options.output = "first";
    REQUIRE(run(options, fs));
    CHECK(
        fs.content("first/train.py").starts_with("import megatron_adaptor\nfrom megatron.training import pretrain\n"));
}

TEST_CASE("pipeline: a class of C++ with its gradient is one operator with the function that applies it") {
    test::MemoryFileSystem fs;
    fs.add("in/scale.cu",
           "__global__ void scale_kernel(float* x) {}\n"
           "at::Tensor scale_cuda(at::Tensor x, double s) { scale_kernel<<<1, 2>>>(x); return x; }\n"
           "class Scale : public torch::autograd::Function<Scale> {\n"
           "  static at::Tensor forward(AutogradContext* ctx, at::Tensor x, double s) { return scale_cuda(x, s); }\n"
           "  static tensor_list backward(AutogradContext* ctx, tensor_list g) { return {scale_cuda(g[0], 2)}; }\n};\n"
           "at::Tensor scale(at::Tensor x, double s) { return Scale::apply(x, s); }\n"
           "struct Alone : torch::autograd::Function<Alone> {\n"
           "  static at::Tensor forward(AutogradContext* ctx, at::Tensor x) { return x; }\n};\n"
           "struct Other : Function<int> {};\n"
           "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"scale\", &scale); }\n");
    fs.add("in/use.py", "import ext\n\ny = ext.scale(1, 2.0)\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    REQUIRE(result->report.operators.size() == 2);
    const OperatorRow& scale = operator_named(result->report, "scale");
    CHECK(scale.gradient == "Scale::backward");
    CHECK(scale.calls == std::vector<std::string>{"use.py:3"});
    REQUIRE(scale.kernels.size() == 1);
    CHECK(scale.kernels[0].name == "scale_kernel");
    REQUIRE(scale.bindings.size() == 2);
    CHECK(scale.bindings[1].place == "scale.cu:3");
    const OperatorRow& alone = operator_named(result->report, "Alone");
    CHECK(alone.signature == "Alone(at::Tensor x)");
    CHECK(alone.gradient == "Alone::backward");
}

TEST_CASE("pipeline: modules that one file builds of texts keep what they have by one name") {
    test::MemoryFileSystem fs;
    const auto text = [](const std::string& name, const std::string& parameter) {
        return "r'''\n__global__ void " + name + "_kernel(float* x) {}\nat::Tensor run(" + parameter + ") { " + name +
               "_kernel<<<1, 2>>>(x); return x; }\n'''";
    };
    fs.add("in/ops.py",
           "from torch.utils.cpp_extension import load_inline\n"
           "one = load_inline('one', '', " +
               text("first", "at::Tensor x") +
               ", functions=['run'])\n"
               "two = load_inline('two', '', " +
               text("second", "at::Tensor x, int64_t n") +
               ", functions=['run', 'run_bwd'])\n"
               "y = one.run(1)\nz = two.run(y, 2)\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    REQUIRE(result->report.operators.size() == 3);
    const OperatorRow& one = operator_named(result->report, "one.run");
    CHECK(one.signature == "run(at::Tensor x) -> at::Tensor");
    REQUIRE(one.kernels.size() == 1);
    CHECK(one.kernels[0].name == "first_kernel");
    CHECK(one.calls == std::vector<std::string>{"ops.py:10"});
    const OperatorRow& two = operator_named(result->report, "two.run");
    CHECK(two.signature == "run(at::Tensor x, int64_t n) -> at::Tensor");
    REQUIRE(two.kernels.size() == 1);
    CHECK(two.kernels[0].name == "second_kernel");
    CHECK(two.calls == std::vector<std::string>{"ops.py:11"});
}

TEST_CASE("pipeline: functions of C++ in a text are operators with their kernels and calls") {
    test::MemoryFileSystem fs;
    fs.add("in/ops.py",
           "from torch.utils.cpp_extension import load_inline\n"
           "SOURCE = r'''\n__global__ void relu_kernel(float* x) {}\n"
           "at::Tensor relu_fwd(at::Tensor x) { relu_kernel<<<1, 2>>>(x); return x; }\n'''\n"
           "built = load_inline(name='relu', cpp_sources=['at::Tensor relu_fwd(at::Tensor x);'],\n"
           "                    cuda_sources=SOURCE, functions=['relu_fwd', 'relu_bwd'])\n"
           "more = load_inline('more', 'at::Tensor twice(at::Tensor x) { return x; }', functions={'twice': 'about'})\n"
           "y = built.relu_fwd(1)\nz = built.relu_bwd(y)\nmore.twice(y)\n");
    const auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    REQUIRE(result->report.operators.size() == 2);
    const OperatorRow& relu = operator_named(result->report, "relu.relu_fwd");
    CHECK(relu.signature == "relu_fwd(at::Tensor x) -> at::Tensor");
    CHECK(relu.gradient == "relu_bwd");
    CHECK(relu.bindings[0].place == "ops.py:7");
    REQUIRE(relu.kernels.size() == 1);
    CHECK(relu.kernels[0].place == "ops.py:3");
    CHECK(relu.calls == std::vector<std::string>{"ops.py:9", "ops.py:10"});
    CHECK(operator_named(result->report, "more.twice").calls == std::vector<std::string>{"ops.py:11"});
}
