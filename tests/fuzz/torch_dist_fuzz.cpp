// The metadata of torch_dist: its items are chunks of its tensors, and the chunks lie in the tensors.
#include "ckpt_convert/formats/torch_dist/dist_metadata.h"
#include "tests/fuzz/support/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto metadata = ckpt::parse_dist_metadata(fuzz::text_of(data, size), ".metadata", {});
    if (!metadata) return 0;
    const ckpt::TorchDistIndex& index = metadata->index;
    std::size_t chunks = 0;
    for (const ckpt::TorchDistTensor& tensor : index.tensors) {
        chunks += tensor.chunks.size();
        fuzz::require(ckpt::checked_elements(tensor.shape).has_value(), "a tensor has a size");
        for (const ckpt::TorchDistChunk& chunk : tensor.chunks) {
            fuzz::require(chunk.sizes.size() == tensor.shape.size() && chunk.offsets.size() == tensor.shape.size(),
                          "a chunk has the axes of its tensor");
            for (std::size_t axis = 0; axis < chunk.sizes.size(); ++axis)
                fuzz::require(chunk.sizes[axis] <= tensor.shape[axis] &&
                                  chunk.offsets[axis] <= tensor.shape[axis] - chunk.sizes[axis],
                              "a chunk lies in its tensor");
            fuzz::require(chunk.file < index.files.size(), "a chunk lies in a file");
        }
    }
    fuzz::require(metadata->items.size() == chunks, "every chunk has its item");
    for (const ckpt::DistItem& item : metadata->items) {
        fuzz::require(item.tensor < index.tensors.size() && item.chunk < index.tensors[item.tensor].chunks.size(),
                      "an item is a chunk");
        fuzz::require(item.bytes <= UINT64_MAX - item.offset, "an item has an end");
    }
    fuzz::require(metadata->wholes.size() == index.tensors.size(), "every tensor has its whole shape");
    return 0;
}
