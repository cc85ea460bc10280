// config.json of a Hugging Face output: that of the original model, with what the conversion changed.
#pragma once

#include <string>

#include "ckpt_convert/open/source.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// The text of config.json; only the values that no longer hold differ: element type, vocabulary, number of layers, quantisation.
Result<std::string> adapted_config(base::FileSystem& fs, const Source& source, const ConvertOptions& options);

}  // namespace ckpt
