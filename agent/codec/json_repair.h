// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace logweir {

// Resource. Mends accepted JSON (see JsonScan) that other readers would refuse. Seldom needed, so it is written for
// plainness, but its work grows no faster than n log n. What the calls return is valid until the next one.
class JsonRepair {
 public:
  // Ill-formed UTF-8 becomes U+FFFD, lone surrogate escapes \ufffd, raw line breaks between tokens blanks.
  std::string_view mend(std::string_view json);
  // Without members that a later one of the same name in the same object overrides. `json` itself when there are none.
  std::string_view drop_repeats(std::string_view json);
  // Gives memory back that only a huge record needed.
  void relax();

 private:
  struct Key {
    std::uint32_t object;    // the number of the object it stands in
    std::uint32_t begin;     // its opening quote
    std::uint32_t next = 0;  // where the object's next member begins; 0: there is none
    std::string_view name;   // unescaped
  };
  struct Open {
    std::uint32_t object;  // 0: an array
    std::uint32_t last_key;
  };
  struct Cut {
    std::uint32_t begin;
    std::uint32_t end;
  };
  void gather_keys(std::string_view json);
  void gather_cuts();
  std::size_t note_string(std::string_view json, std::size_t at);

  std::string out_;
  std::vector<Key> keys_;
  std::vector<Open> open_;
  std::vector<Cut> cuts_;
  std::deque<std::string> names_;  // of keys with escapes
};

}  // namespace logweir
