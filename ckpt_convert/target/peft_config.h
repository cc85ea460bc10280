// adapter_config.json of a PEFT directory that is written.
#pragma once

#include <string>

#include "ckpt_convert/open/adapters.h"

namespace ckpt {

// Of an adapter whose weights have the layout `weights` in Hugging Face files. Its target modules are the shortest ends of names
// that no module without an adapter has.
std::string peft_config(const AdapterSource& adapter, const Layout& weights, const AdapterFormat& format);

// lora_train_meta.json of an adapter in shards. Fails with unsupported when its weights have several ranks.
Result<std::string> adapter_says(const AdapterSource& adapter);

}  // namespace ckpt
