// Reads the operators of a graph of torch.export (.pt2): a zip archive whose JSON lists the nodes.
//
//   NAME/models/model.json (older versions: serialized_exported_program.json):
//     {"graph_module": {"graph": {"nodes": [{"target": "torch.ops.aten.add.Tensor",
//                                            "inputs": [{"arg": {"as_tensor": {"name": "x"}}}, ...]}, ...],
//                                 "tensor_values": {"x": {"dtype": 7, ...}}}}}
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "migrator/operators/operator_input.h"

namespace migrator {

base::Result<OperatorInput> read_graph(std::string_view archive, const std::string& name, const ChipsFile& chips);

}  // namespace migrator
