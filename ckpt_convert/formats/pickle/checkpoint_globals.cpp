#include <algorithm>
#include <array>

#include "ckpt_convert/formats/pickle/reader.h"

namespace ckpt::pickle {
namespace {

// Enumerations and plain configuration classes of these projects appear in the `args` that they save. Being inert, they
// are let through by module; what is in them is not looked at.
constexpr std::array<std::string_view, 2> kProjectPrefixes{"megatron.", "mindspeed"};

struct Row {
    std::string_view module;
    std::string_view name;
};

// Sorted; what torch.save and Megatron's checkpoints are made of.
constexpr std::array kGlobals{
    Row{"__builtin__", "bytearray"},
    Row{"__builtin__", "bytes"},
    Row{"__builtin__", "complex"},
    Row{"__builtin__", "dict"},
    Row{"__builtin__", "frozenset"},
    Row{"__builtin__", "getattr"},  // as an enumeration's member; recorded, never called
    Row{"__builtin__", "int"},      // the factory of a defaultdict
    Row{"__builtin__", "list"},
    Row{"__builtin__", "set"},
    Row{"__builtin__", "tuple"},
    Row{"_codecs", "encode"},
    Row{"_io", "BytesIO"},
    Row{"argparse", "Namespace"},
    Row{"builtins", "bytearray"},
    Row{"builtins", "bytes"},
    Row{"builtins", "complex"},
    Row{"builtins", "dict"},
    Row{"builtins", "frozenset"},
    Row{"builtins", "getattr"},
    Row{"builtins", "int"},
    Row{"builtins", "list"},
    Row{"builtins", "set"},
    Row{"builtins", "tuple"},
    Row{"collections", "Counter"},
    Row{"collections", "OrderedDict"},
    Row{"collections", "defaultdict"},
    Row{"io", "BytesIO"},
    Row{"numpy", "dtype"},
    Row{"numpy", "ndarray"},
    Row{"numpy._core.multiarray", "_reconstruct"},
    Row{"numpy._core.multiarray", "scalar"},
    Row{"numpy._core.numeric", "_frombuffer"},
    Row{"numpy.core.multiarray", "_reconstruct"},
    Row{"numpy.core.multiarray", "scalar"},
    Row{"numpy.core.numeric", "_frombuffer"},
    Row{"pathlib", "Path"},
    Row{"pathlib", "PosixPath"},
    Row{"pathlib", "PurePath"},
    Row{"pathlib", "PurePosixPath"},
    Row{"pathlib", "PureWindowsPath"},
    Row{"pathlib", "WindowsPath"},
    Row{"pathlib._local", "PosixPath"},  // where Python 3.13 defines them
    Row{"pathlib._local", "WindowsPath"},
    Row{"signal", "Signals"},
    Row{"torch", "Size"},
    Row{"torch", "Tensor"},
    Row{"torch", "bfloat16"},
    Row{"torch", "bool"},
    Row{"torch", "complex128"},
    Row{"torch", "complex32"},
    Row{"torch", "complex64"},
    Row{"torch", "device"},
    Row{"torch", "float16"},
    Row{"torch", "float32"},
    Row{"torch", "float64"},
    Row{"torch", "float8_e4m3fn"},
    Row{"torch", "float8_e4m3fnuz"},
    Row{"torch", "float8_e5m2"},
    Row{"torch", "float8_e5m2fnuz"},
    Row{"torch", "float8_e8m0fnu"},
    Row{"torch", "int16"},
    Row{"torch", "int32"},
    Row{"torch", "int64"},
    Row{"torch", "int8"},
    Row{"torch", "uint16"},
    Row{"torch", "uint32"},
    Row{"torch", "uint64"},
    Row{"torch", "uint8"},
    Row{"torch._C", "Generator"},
    Row{"torch._tensor", "_rebuild_from_type_v2"},
    Row{"torch.nn.parameter", "Buffer"},
    Row{"torch.nn.parameter", "Parameter"},
    Row{"torch.serialization", "_get_layout"},
    Row{"torch.storage", "TypedStorage"},
    Row{"torch.storage", "UntypedStorage"},
    Row{"types", "SimpleNamespace"},
};

constexpr bool less(const Row& a, const Row& b) { return a.module != b.module ? a.module < b.module : a.name < b.name; }

constexpr bool rows_are_sorted() {
    for (std::size_t i = 1; i < kGlobals.size(); ++i) {
        if (!less(kGlobals[i - 1], kGlobals[i])) return false;
    }
    return true;
}
static_assert(rows_are_sorted());

}  // namespace

bool is_checkpoint_global(std::string_view module, std::string_view name) {
    if (std::binary_search(kGlobals.begin(), kGlobals.end(), Row{module, name}, less)) return true;
    if (module == "torch" && name.ends_with("Storage")) return true;
    if (module == "torch._utils" && name.starts_with("_rebuild_")) return true;
    // numpy >= 1.25 names its types as classes: numpy.dtypes.Float32DType.
    if (module == "numpy.dtypes" && name.ends_with("DType")) return true;
    return std::any_of(kProjectPrefixes.begin(), kProjectPrefixes.end(),
                       [&](std::string_view prefix) { return module.starts_with(prefix); });
}

}  // namespace ckpt::pickle
