// SHA-1 as FIPS 180-4 defines it: git names its objects with it. It finds damage, not forgery.
#pragma once

#include "base/block_hash.h"

namespace base {

class Sha1 : public BlockHash<5> {
public:
    Sha1();
};

}  // namespace base
