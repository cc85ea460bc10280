// The command lines of the older transplant tool, translated into ours.
//
//   -i IN -o OUT -v VERSION [-s] [-m] [distributed -m MAIN -t MODEL]      migrate IN -o OUT/IN_msft ...
//   -i IN -o OUT -v VERSION -m MODE [-api FILE...] [-env DIR...]          analyze IN --report OUT/IN_analysis ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/result.h"

namespace migrator {

struct TranslatedLine {
    std::vector<std::string> arguments;  // ours, without the program's name
    std::vector<base::Message> notes;    // how to write it the new way, and what has no meaning any more
};

// nullopt: this is no such command line. Fails with usage when it is one and wrong, or asks for what we do not do.
base::Result<std::optional<TranslatedLine>> translate_peer_line(const std::vector<std::string>& arguments);

}  // namespace migrator
