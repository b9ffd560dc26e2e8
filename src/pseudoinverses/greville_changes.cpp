#include "pseudoinverses/greville_changes.h"

#include <fmt/format.h>

#include <sstream>

#include "bricard/input_error.h"
#include "model/nearest_name.h"

namespace bricard {

GrevilleChanges read_greville_changes(const std::string& text) {
  if (text == "all") return GrevilleChanges::all();
  GrevilleChanges changes;
  if (text == "none") return changes;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (word == "order") {
      changes.order = true;
    } else if (word == "transpose") {
      changes.transpose = true;
    } else if (word == "reorthogonalize") {
      changes.reorthogonalize = true;
    } else {
      if (word == "all" || word == "none")
        throw InputError(fmt::format("greville: '{}' stands alone, not beside other changes", word));
      throw InputError(fmt::format("unknown greville '{}'{}", word,
                                   suggestion(word, {"order", "transpose", "reorthogonalize", "all", "none"})));
    }
  }
  return changes;
}

}  // namespace bricard
