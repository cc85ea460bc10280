// The JSON Schemas of a model file and of a case beside it, for editors and for the tables of rules/models/README.md.
#pragma once

#include <string>

namespace ckpt {

// Of a file of rules/models/ or rules/models/blocks/.
std::string model_file_schema();
// Of a file of rules/models/cases/, which tests/model/model_cases.py reads.
std::string model_case_schema();

}  // namespace ckpt
