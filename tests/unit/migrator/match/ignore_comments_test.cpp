#include <doctest/doctest.h>

#include "tests/unit/migrator/rules/case_support.h"

using migrator::FileOutcome;

TEST_CASE("ignore comments: the named rules, or all, are silent on the line") {
    const FileOutcome outcome =
        test::migrate_one("a.py",
                          "import torch\n"
                          "a = torch.zeros(1).cuda()  # migrator: ignore\n"
                          "b = torch.zeros(1).cuda()  # migrator: ignore[method.cuda]\n"
                          "c = torch.zeros(1).cuda()  # migrator: ignore[method.is_cuda, method.cuda] why\n"
                          "d = torch.zeros(1).cuda()  # see migrator: ignore\n");
    CHECK(test::list_findings(outcome) == "5 method.cuda applied torch.Tensor.cuda\n");
    CHECK(outcome.rewritten.find("d = torch.zeros(1).npu()") != std::string::npos);
    CHECK(outcome.rewritten.find("c = torch.zeros(1).cuda()") != std::string::npos);
}

TEST_CASE("ignore comments: one that takes out nothing is reported") {
    const FileOutcome outcome = test::migrate_one("a.py",
                                                  "import torch  # migrator: ignore\n"
                                                  "a = torch.zeros(1).cuda()  # migrator: ignore[cuda.module]\n");
    CHECK(test::list_findings(outcome) ==
          "1 file.unused_ignore none migrator: ignore\n"
          "2 method.cuda applied torch.Tensor.cuda\n"
          "2 file.unused_ignore none migrator: ignore[cuda.module]\n");
}

TEST_CASE("ignore comments: an import stays when a use of it has to") {
    const FileOutcome outcome = test::migrate_one("a.py",
                                                  "from torch import cuda\n"
                                                  "cuda.empty_cache()  # migrator: ignore\n"
                                                  "cuda.synchronize()\n");
    CHECK_FALSE(outcome.changed());
}
