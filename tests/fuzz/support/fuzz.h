// What the fuzz targets share. A target is a function of bytes that ends the process when a promise is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_system.h"
#include "tests/support/memory_file_system.h"

// Called by libFuzzer with one input after the other.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// A promise of the code: when it does not hold, libFuzzer keeps the input. `what`: what does not hold.
void require(bool holds, std::string_view what);
void require(const base::Status& status, std::string_view what);

// An open file of these bytes.
std::unique_ptr<base::ReadableFile> file_of(std::string_view bytes);

// A directory in one input, as each file's name and content:
//
//   == NAME \n CONTENT \n== NAME \n CONTENT
//
// The content may be anything else, and the files lie below `directory`.
void add_files(test::MemoryFileSystem& fs, const std::string& directory, std::string_view bundle);

}  // namespace fuzz
