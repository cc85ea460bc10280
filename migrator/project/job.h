// Job: one file to analyse, and what its analysis says.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "migrator/match/cpp_operators.h"
#include "migrator/match/operator_calls.h"
#include "migrator/project/project.h"
#include "migrator/python/training_code.h"
#include "migrator/report/transfer_row.h"

namespace migrator {

struct Job {
    Project* project;
    const FoundFile* file;

    std::unique_ptr<ParsedFile> take_parsed() const;
    bool is_program() const;
};

// What the analysis of a job's file has to say beside its report.
struct JobFacts {
    TransferFacts transfer;
    std::vector<std::string> interfaces;  // that it uses of the API tables
    TrainingCode training;
    OperatorUses operator_uses;  // of Python
    CppOperators operators;      // of C++ and CUDA
    bool needs_helper = false;   // its new text names the helper module, and the old one did not
};

// A path that two arguments name is looked at once. Sorted by the path that the report shows.
std::vector<Job> jobs_of(std::vector<Project>& projects);

}  // namespace migrator
