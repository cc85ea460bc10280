#include "base/result.h"

#include "base/interrupt.h"
#include "base/printable.h"

namespace base {

std::string Error::text() const { return printable(unescaped_text()); }

std::string Error::unescaped_text() const {
    std::string out;
    if (!where.empty()) out += where + ": ";
    out += message;
    if (!context.empty()) {
        out += " (";
        for (size_t i = 0; i < context.size(); ++i) out += (i == 0 ? "" : "; ") + context[i];
        out += ")";
    }
    return out;
}

int exit_code(ErrorKind kind) {
    switch (kind) {
        case ErrorKind::usage: return 2;
        case ErrorKind::rule_data: return 3;
        case ErrorKind::bad_input: return 4;
        case ErrorKind::unsupported: return 5;
        case ErrorKind::write_failed: return 6;
        case ErrorKind::internal: return 70;
        case ErrorKind::interrupted: return 128 + noted_signal();
        case ErrorKind::no_memory: return 71;
    }
    return 70;
}

}  // namespace base
