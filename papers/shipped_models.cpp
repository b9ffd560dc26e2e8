#include "papers/shipped_models.h"

#include <stdexcept>
#include <string_view>

#include "bricard/load.h"

namespace bricard {

// Generated from models/*.yaml when the program is built (cmake/embed_models.cmake).
struct EmbeddedModel {
  std::string_view name, text;
};
extern const EmbeddedModel embedded_models[];
extern const int embedded_model_count;

std::shared_ptr<const Model> shipped_model(const std::string& name,
                                           const std::map<std::string, std::string>& parameters) {
  for (int k = 0; k < embedded_model_count; ++k) {
    if (embedded_models[k].name == name)
      return load_text(std::string(embedded_models[k].text), "models/" + name + ".yaml", {.parameters = parameters});
  }
  throw std::out_of_range("no shipped model " + name);
}

}  // namespace bricard
