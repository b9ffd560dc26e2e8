// Puts every file of folders through one target, without libFuzzer: replay TARGET FOLDER..
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "targets.h"

int main(int count, char** arguments) {
  using namespace bricard::fuzz;
  const struct {
    const char* name;
    int (*call)(const std::uint8_t*, std::size_t);
  } targets[] = {{"model", model}, {"expression", expression}, {"table", table}, {"sweep", sweep}, {"run", run}};
  int tried = 0, found = 0;
  for (const auto& target : targets) {
    if (count < 3 || std::string(arguments[1]) != target.name) continue;
    for (int k = 2; k < count; ++k) {
      for (const auto& entry : std::filesystem::directory_iterator(arguments[k])) {
        if (!entry.is_regular_file()) continue;
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
        std::printf("%s\n", entry.path().c_str());  // the last one is what crashed
        std::fflush(stdout);
        ++tried;
        try {
          target.call(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
        } catch (const std::exception& error) {
          std::printf("FOUND %s\n", error.what());
          ++found;
        }
      }
    }
  }
  std::printf("%d files, %d findings\n", tried, found);
  return tried > 0 && found == 0 ? 0 : 1;
}
