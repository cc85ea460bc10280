#include "migrator/text/read_text.h"

#include "migrator/text/readers.h"
#include "migrator/text/shell_reader.h"

namespace migrator {

TextContents read_text(FileType type, std::string_view text, std::span<const std::string> directives) {
    TextContents out{text, 0, {}, {}, {}, {}};
    switch (type) {
        case FileType::shell:
        case FileType::script: read_shell(text, {.directives = directives, .is_file = true}, out); break;
        case FileType::dockerfile: read_dockerfile(out); break;
        case FileType::makefile: read_makefile(directives, out); break;
        case FileType::yaml: read_yaml(out); break;
        case FileType::json: read_json(out); break;
        case FileType::toml: read_toml(out); break;
        case FileType::setup_cfg:
        case FileType::ini: read_ini(out); break;
        default: read_lines("#", out); break;
    }
    return out;
}

bool is_script(FileType type) {
    switch (type) {
        case FileType::shell:
        case FileType::script:
        case FileType::dockerfile:
        case FileType::makefile: return true;
        default: return false;
    }
}

}  // namespace migrator
