// The words of `base` that every folder here uses, in this namespace.
#pragma once

#include "base/file_system.h"
#include "base/json.h"
#include "base/quoted_name.h"
#include "base/result.h"

namespace ckpt {

using base::ErrorKind;
using base::FileKind;
using base::Json;
using base::JsonDocument;
using base::Path;
using base::quoted_name;
using base::Result;
using base::Status;

}  // namespace ckpt
