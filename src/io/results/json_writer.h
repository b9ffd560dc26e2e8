// Writes JSON text piece by piece: enough for what the command prints, with numbers that read back exactly.
#pragma once

#include <string>
#include <vector>

namespace bricard {

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(const std::string& name);
  JsonWriter& value(const std::string& text);
  JsonWriter& value(const char* text) { return value(std::string(text)); }
  JsonWriter& value(double number);  // not finite: null
  JsonWriter& value(long number);
  JsonWriter& value(int number) { return value(static_cast<long>(number)); }
  JsonWriter& value(bool truth);
  template <class T>
  JsonWriter& array(const std::vector<T>& contents) {
    begin_array();
    for (const T& content : contents) value(content);
    return end_array();
  }
  template <class T>
  JsonWriter& member(const std::string& name, const T& content) {
    return key(name).value(content);
  }

  const std::string& text() const { return text_; }

 private:
  void separate();
  void indent();
  std::string text_;
  struct Level {
    bool array;
    bool empty;
  };
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace bricard
