#include "ckpt_convert/open/decisive_arguments.h"

#include <algorithm>
#include <variant>

#include "base/format.h"

namespace ckpt {

Status check_decisive(const Knowledge& knowledge, const ModelMapping& mapping, const MegatronCheckpoint& checkpoint) {
    if (checkpoint.args.object() == nullptr) return {};
    for (const DecisiveArgument& argument : knowledge.decisive.arguments) {
        const Json* saved = checkpoint.args.find(argument.name);
        const auto rule = std::find_if(mapping.args.begin(), mapping.args.end(),
                                       [&](const ArgumentRule& one) { return one.name == argument.name; });
        if (saved == nullptr || saved->boolean() == nullptr || rule == mapping.args.end() || !rule->is_literal())
            continue;
        const bool* usual = std::get<Json>(rule->value).boolean();
        if (usual == nullptr || *usual == *saved->boolean()) continue;
        return base::fail(
            ErrorKind::unsupported,
            base::format(
                "the saved arguments say {} = {} (true: {}), and models of the family {} have the opposite, so "
                "the weights would mean something else; name the right family with --model-type-hf",
                argument.name, *saved->boolean(), argument.means, mapping.family),
            checkpoint.directory);
    }
    return {};
}

}  // namespace ckpt
