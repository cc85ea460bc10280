// The program: options in, exit code out.
#pragma once

namespace ckpt {

int run(int argc, const char* const* argv);

}  // namespace ckpt
