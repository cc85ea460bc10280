// A checkpoint directory of any kind: opened, identified, shown; every tensor lies in its file.
#include "base/json.h"
#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/open/source.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    test::MemoryFileSystem fs;
    fuzz::add_files(fs, "c", fuzz::text_of(data, size));
    if (!fs.exists("c")) return 0;
    if (const auto shown = ckpt::inspect(fs, test::knowledge(), {"c", {}}, true))
        fuzz::require(base::parse_json(*shown, "shown").has_value(), "what inspect shows is JSON");
    ckpt::SourceOptions options;
    options.directory = "c";
    const auto source = ckpt::open_source(fs, test::knowledge(), options);
    if (!source) return 0;
    for (const ckpt::IndexedTensor& tensor : source->index.tensors) {
        fuzz::require(tensor.file < source->index.files.size(), "a tensor has a file");
        if (!tensor.contiguous || tensor.quantised) continue;
        const std::uint64_t file_bytes = source->index.files[tensor.file]->size();
        fuzz::require(tensor.offset <= file_bytes && tensor.bytes() <= file_bytes - tensor.offset,
                      "a tensor lies inside its file");
    }
    return 0;
}
