// DTensorWriter: the DTensors of a rank as PyTorch saves them, cut along their first axis over a mesh of one axis.
//
// The classes and their attributes are those of PyTorch 2.13; others have other attributes in meshes, see dtensor.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "ckpt_convert/formats/torch_file/torch_writer.h"

namespace ckpt {

class DTensorWriter {
public:
    // `device`: of the mesh, such as "npu". The parts themselves lie on the CPU, as those of offloaded parameters do.
    DTensorWriter(TorchFilePlan& file, std::uint64_t rank, std::uint64_t ranks, const std::string& device);

    // `local`: the rank's part of a tensor of this shape.
    pickle::Value* make(pickle::Value* local, DType dtype, const Shape& whole);

private:
    // What tensors of equal type and shape have in common.
    struct Form {
        pickle::Value* build = nullptr;  // the arguments that the tensor is built from
        pickle::Value* spec = nullptr;
    };
    Form form_of(DType dtype, const Shape& whole);

    TorchFilePlan& file_;
    std::map<std::pair<DType, Shape>, Form> forms_;
    pickle::Value* mesh_ = nullptr;
    pickle::Value* placements_ = nullptr;
    pickle::Value* order_ = nullptr;
    pickle::Value* layout_ = nullptr;
    pickle::Value* cpu_ = nullptr;
    pickle::Value* type_ = nullptr;   // DTensor
    pickle::Value* build_ = nullptr;  // the function that makes one
    pickle::Value* local_key_ = nullptr;
    pickle::Value* spec_key_ = nullptr;
};

}  // namespace ckpt
