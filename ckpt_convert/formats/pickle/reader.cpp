#include "ckpt_convert/formats/pickle/reader.h"

#include "ckpt_convert/formats/pickle/machine.h"

namespace ckpt::pickle {

Result<Ref> read(base::ByteReader& reader, Arena& arena, const GlobalFilter& accept, const Limits& limits) {
    return Machine(reader, arena, accept, limits).run();
}

}  // namespace ckpt::pickle
