#include "ckpt_convert/open/missing_checkpoint.h"

#include <algorithm>

#include "base/format.h"
#include "base/missing_path.h"
#include "base/text.h"

namespace ckpt {
namespace {

// "Qwen/Qwen3-8B": an owner, a name, and no directory of that owner.
bool is_hub_id(base::FileSystem& fs, const Path& path) {
    const bool is_named = std::all_of(path.begin(), path.end(),
                                      [](char c) { return base::is_word_char(c) || c == '-' || c == '.' || c == '/'; });
    return is_named && std::count(path.begin(), path.end(), '/') == 1 && base::is_word_char(path.front()) &&
           path.back() != '/' && !fs.exists(base::parent(path));
}

}  // namespace

base::Error missing_checkpoint(base::FileSystem& fs, const Path& path) {
    base::Error error = base::missing_path(fs, path);
    if (is_hub_id(fs, path) && error.message.find("did you mean") == std::string::npos) {
        error.message = base::format(
            "there is no such directory; if it is a model of the Hugging Face Hub, download it first: "
            "hf download {0} --local-dir {1}; from ModelScope: modelscope download --model {0} --local_dir {1}",
            path, base::file_name(path));
    }
    return error;
}

}  // namespace ckpt
