#include "ckpt_convert/formats/torch_dist/dist_backend.h"

#include <cstdint>

#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/lfs_pointer.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kMaxBackendBytes = 1u << 20;

// A backend and its version, as two members of the root. What is optional may be missing, and is then as we need it.
Status check_pair(const JsonDocument& document, const std::string& key, std::string_view wanted, bool optional) {
    const Json* backend = document.root.find(key);
    const Json* version = document.root.find(key + "_version");
    if (backend == nullptr && optional) return {};
    if (backend == nullptr || backend->string() == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("it does not say the {}", quoted_name(key)),
                          document.where(document.root));
    }
    if (*backend->string() != wanted) {
        return base::fail(ErrorKind::unsupported,
                          base::format("checkpoints of the {} {} are not read, only those of {}; load it with Megatron "
                                       "and save it with --ckpt-format torch_dist or torch",
                                       key, quoted_name(*backend->string()), quoted_name(wanted)),
                          document.where(*backend));
    }
    if (version == nullptr && optional) return {};
    if (version == nullptr || version->integer() == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("it does not say the {}", quoted_name(key + "_version")),
                          document.where(document.root));
    }
    if (*version->integer() == 1) return {};
    return base::fail(ErrorKind::unsupported,
                      base::format("version {} of the {} is not known, only 1", *version->integer(), key),
                      document.where(*version));
}

}  // namespace

Status check_dist_backend(base::FileSystem& fs, const Path& directory) {
    Path path = base::join(directory, kDistBackendFile);
    if (!fs.exists(path)) {
        return base::fail(ErrorKind::bad_input,
                          "the file is missing: this is not a torch_dist checkpoint, or saving it was interrupted",
                          path);
    }
    TRY_ASSIGN(std::string text, base::read_file(fs, path, kMaxBackendBytes));
    TRY(refuse_lfs_pointer(text, path));
    TRY_ASSIGN(JsonDocument document, base::parse_json(text, path));
    if (document.root.object() == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("it holds {}, not an object", document.root.kind_name()),
                          document.where(document.root));
    }
    TRY(check_pair(document, "sharded_backend", "torch_dist", false));
    return check_pair(document, "common_backend", "torch", true);
}

}  // namespace ckpt
