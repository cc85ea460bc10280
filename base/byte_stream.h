// ByteStream: a file from its beginning to its end, unpacked where it is packed with gzip; a few hundred kB of memory for any size.
#pragma once

#include <memory>
#include <string_view>

#include "base/file_system.h"

namespace base {

class ByteStream {
public:
    virtual ~ByteStream() = default;
    // Fills a part of `out`; 0 bytes are the end. Fails with bad_input where the file cannot be read, or the packed data is
    // damaged or cut off; what came before that has been given.
    virtual Result<std::size_t> read(MutableByteSpan out) = 0;
};

// By its content: what begins as gzip does, in one member or several, is unpacked.
Result<std::unique_ptr<ByteStream>> open_stream(FileSystem& fs, const Path& path);
// Of a text that outlives it, as it is.
std::unique_ptr<ByteStream> text_stream(std::string_view text);

}  // namespace base
