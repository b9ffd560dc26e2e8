// Numbers in one register that lie wherever one of them may, seen as such.
#pragma once

// NOLINTBEGIN(bugprone-macro-parentheses): a name and a type
/// Of the two places for attributes Clang heeds that behind the name alone, GCC within templates that of the type
/// alone.
#define BRICARD_LOOSE_VECTOR(name, type, bytes) \
  using name __attribute__((aligned(8), may_alias)) = type __attribute__((vector_size(bytes), aligned(8), may_alias))
// NOLINTEND(bugprone-macro-parentheses)
