// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace logweir {

// Any bytes as a JSON string, quotes included.
void append_json(std::string& out, std::string_view text);

// Value. Writes one JSON document piece by piece and sees to commas and quoting. Braces are the caller's to pair.
class JsonOut {
 public:
  JsonOut& open(char bracket) {
    comma();
    text_ += bracket;
    first_ = true;
    return *this;
  }
  JsonOut& close(char bracket) {
    text_ += bracket;
    first_ = false;
    return *this;
  }
  JsonOut& key(std::string_view name) {
    text(name);
    text_ += ':';
    first_ = true;
    return *this;
  }
  JsonOut& text(std::string_view value) {
    comma();
    append_json(text_, value);
    return *this;
  }
  JsonOut& truth(bool value) { return raw(value ? "true" : "false"); }
  JsonOut& number(double value);  // whole ones as such; what is not finite is null
  JsonOut& raw(std::string_view json) {
    comma();
    text_ += json;
    return *this;
  }
  JsonOut& line() {  // before a member or an element, for people
    if (!first_) text_ += ',';
    text_ += '\n';
    first_ = true;
    return *this;
  }
  template <typename T>
  JsonOut& member(std::string_view name, const T& value) {
    key(name);
    if constexpr (std::is_same_v<T, bool>) {
      return truth(value);
    } else if constexpr (std::is_integral_v<T>) {
      return raw(std::to_string(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return number(value);
    } else {
      return text(value);
    }
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void comma() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace logweir
