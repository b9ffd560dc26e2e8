// Numbers in one register that lie wherever one of them may, seen as such.
#pragma once

/// Of the two places for attributes Clang heeds that behind the name alone, GCC within templates that of the type
/// alone.
// NOLINTNEXTLINE(bugprone-macro-parentheses): a type
#define BRICARD_LOOSE_VECTOR(name, type, bytes) \
  using name __attribute__((aligned(8), may_alias)) = type __attribute__((vector_size(bytes), aligned(8), may_alias))
