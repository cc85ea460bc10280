#include "ckpt_convert/open/peft_directory.h"

#include <utility>

#include "base/format.h"

namespace ckpt {

bool is_peft_directory(base::FileSystem& fs, const Path& directory) {
    return fs.exists(base::join(directory, kPeftConfig));
}

Result<PeftDirectory> open_peft(base::FileSystem& fs, const Path& directory) {
    PeftDirectory out;
    Path config = base::join(directory, kPeftConfig);
    TRY_ASSIGN(std::string text, base::read_file(fs, config, 64u << 20));
    TRY_ASSIGN(out.config, base::parse_json(text, config, base::kPythonJson));
    for (auto [key, what] :
         {std::pair("target_parameters", "adapters of parameters, such as those of all experts of a layer"),
          std::pair("alpha_pattern", "an adapter that is scaled otherwise in some layers")}) {
        const Json* found = out.config.root.find(key);
        bool empty = found == nullptr || ((found->object() == nullptr || found->object()->empty()) &&
                                          (found->array() == nullptr || found->array()->empty()));
        if (empty) continue;
        return base::fail(ErrorKind::unsupported, base::format("{}: {} cannot be read", key, what),
                          out.config.where(*found));
    }
    for (const char* ending : {".safetensors", ".bin"}) {
        Path path = base::join(directory, std::string(kPeftWeights) + ending);
        if (!fs.exists(path)) continue;
        TRY(add_weight_file(out.index, fs, path));
        return out;
    }
    return base::fail(ErrorKind::bad_input,
                      base::format("there is neither {}.safetensors nor {}.bin", kPeftWeights, kPeftWeights),
                      directory);
}

}  // namespace ckpt
