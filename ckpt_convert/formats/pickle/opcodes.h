// The opcodes of pickle protocols 0 to 5, with the names that Python's pickletools gives them.
#pragma once

namespace ckpt::pickle::op {

inline constexpr char kMark = '(';
inline constexpr char kStop = '.';
inline constexpr char kPop = '0';
inline constexpr char kPopMark = '1';
inline constexpr char kDup = '2';
inline constexpr char kProto = '\x80';
inline constexpr char kFrame = '\x95';

// Scalars.
inline constexpr char kNone = 'N';
inline constexpr char kNewTrue = '\x88';
inline constexpr char kNewFalse = '\x89';
inline constexpr char kInt = 'I';
inline constexpr char kBinInt = 'J';
inline constexpr char kBinInt1 = 'K';
inline constexpr char kBinInt2 = 'M';
inline constexpr char kLong = 'L';
inline constexpr char kLong1 = '\x8a';
inline constexpr char kLong4 = '\x8b';
inline constexpr char kFloat = 'F';
inline constexpr char kBinFloat = 'G';

// Strings and bytes.
inline constexpr char kString = 'S';
inline constexpr char kBinString = 'T';
inline constexpr char kShortBinString = 'U';
inline constexpr char kUnicode = 'V';
inline constexpr char kBinUnicode = 'X';
inline constexpr char kShortBinUnicode = '\x8c';
inline constexpr char kBinUnicode8 = '\x8d';
inline constexpr char kBinBytes = 'B';
inline constexpr char kShortBinBytes = 'C';
inline constexpr char kBinBytes8 = '\x8e';
inline constexpr char kByteArray8 = '\x96';

// Containers.
inline constexpr char kEmptyTuple = ')';
inline constexpr char kTuple = 't';
inline constexpr char kTuple1 = '\x85';
inline constexpr char kTuple2 = '\x86';
inline constexpr char kTuple3 = '\x87';
inline constexpr char kEmptyList = ']';
inline constexpr char kList = 'l';
inline constexpr char kAppend = 'a';
inline constexpr char kAppends = 'e';
inline constexpr char kEmptyDict = '}';
inline constexpr char kDict = 'd';
inline constexpr char kSetItem = 's';
inline constexpr char kSetItems = 'u';
inline constexpr char kEmptySet = '\x8f';
inline constexpr char kAddItems = '\x90';
inline constexpr char kFrozenSet = '\x91';

// The memo.
inline constexpr char kGet = 'g';
inline constexpr char kBinGet = 'h';
inline constexpr char kLongBinGet = 'j';
inline constexpr char kPut = 'p';
inline constexpr char kBinPut = 'q';
inline constexpr char kLongBinPut = 'r';
inline constexpr char kMemoize = '\x94';

// Globals and what is made of them.
inline constexpr char kGlobal = 'c';
inline constexpr char kStackGlobal = '\x93';
inline constexpr char kReduce = 'R';
inline constexpr char kNewObj = '\x81';
inline constexpr char kNewObjEx = '\x92';
inline constexpr char kBuild = 'b';
inline constexpr char kPersId = 'P';
inline constexpr char kBinPersId = 'Q';

// Refused.
inline constexpr char kInst = 'i';
inline constexpr char kObj = 'o';
inline constexpr char kExt1 = '\x82';
inline constexpr char kExt2 = '\x83';
inline constexpr char kExt4 = '\x84';
inline constexpr char kNextBuffer = '\x97';
inline constexpr char kReadOnlyBuffer = '\x98';

}  // namespace ckpt::pickle::op
