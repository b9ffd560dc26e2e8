// Where the program begins. What no other place can answer is answered here: memory that ran out, while options are
// read or at any time later.
#include <cstdio>
#include <exception>
#include <new>

#include "commands/command.h"

int bricard_command(int count, char** arguments);  // bricard.cpp; NOLINT(readability-redundant-declaration)

int main(int count, char** arguments) {
  try {
    return bricard_command(count, arguments);
  } catch (const std::bad_alloc&) {
    std::fputs("bricard: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bricard: internal error: %s\n", error.what());
    return bricard::failed_analysis;
  }
  return bricard::bad_input;
}
