// SPDX-License-Identifier: Apache-2.0
#include "codec/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <utility>

namespace logweir {

namespace {

constexpr std::uint32_t kMatchLimit = 200'000;  // steps: a few milliseconds at worst
constexpr std::uint32_t kDepthLimit = 10'000;

struct Pattern {
  std::string_view text;
  std::uint32_t options = PCRE2_MULTILINE;
};

// Takes the slashes off /pattern/options; a pattern that is not written so is itself.
Pattern read_pattern(std::string_view text) {
  const std::size_t close = text.rfind('/');
  if (text.empty() || text.front() != '/' || close == 0) return {text};
  Pattern pattern{text.substr(1, close - 1)};
  for (const char c : text.substr(close + 1)) {
    if (c == 'i') {
      pattern.options |= PCRE2_CASELESS;
    } else if (c == 'm') {
      pattern.options |= PCRE2_DOTALL;
    } else if (c == 'x') {
      pattern.options |= PCRE2_EXTENDED;
    } else if (c != 'o') {
      return {text};
    }
  }
  return pattern;
}

bool speaks_of_characters(std::string_view pattern) {
  for (const char c : pattern) {
    if (static_cast<signed char>(c) < 0) return true;
  }
  constexpr std::string_view kSigns[] = {"\\p", "\\P", "\\x{", "\\X"};
  for (const std::string_view sign : kSigns) {
    if (pattern.find(sign) != std::string_view::npos) return true;
  }
  return false;
}

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* p) const {
    Free(p);
  }
};

}  // namespace

struct Regex::Impl {
  std::unique_ptr<pcre2_code, Freer<pcre2_code_free>> code;
  std::unique_ptr<pcre2_match_data, Freer<pcre2_match_data_free>> data;
  std::unique_ptr<pcre2_match_context, Freer<pcre2_match_context_free>> context;
  std::uint64_t limits_hit = 0;
};

Regex::Regex(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view text) {
  const Pattern pattern = read_pattern(text);
  int error = 0;
  PCRE2_SIZE offset = 0;
  auto impl = std::make_unique<Impl>();
  const auto compile_as = [&](std::uint32_t options) {
    impl->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.text.data()), pattern.text.size(), options,
                                   &error, &offset, nullptr));
  };
  if (speaks_of_characters(pattern.text)) {
    compile_as(pattern.options | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF);
  }
  if (!impl->code) compile_as(pattern.options);  // also a pattern that is not UTF-8 itself
  if (!impl->code) {
    PCRE2_UCHAR said[160];
    pcre2_get_error_message(error, said, sizeof said);
    return Status(Code::invalid, fmt::format("the regular expression `{}` is wrong at character {}: {}", pattern.text,
                                             offset + 1, reinterpret_cast<const char*>(said)));
  }
  pcre2_jit_compile(impl->code.get(), PCRE2_JIT_COMPLETE);  // without JIT it is only slower
  impl->data.reset(pcre2_match_data_create_from_pattern(impl->code.get(), nullptr));
  impl->context.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(impl->context.get(), kMatchLimit);
  pcre2_set_depth_limit(impl->context.get(), kDepthLimit);
  return Regex(std::move(impl));
}

bool Regex::matches(std::string_view text) const {
  const int found = pcre2_match(impl_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, 0,
                                impl_->data.get(), impl_->context.get());
  if (found >= 0) return true;
  if (found != PCRE2_ERROR_NOMATCH) ++impl_->limits_hit;
  return false;
}

std::uint64_t Regex::limits_hit() const { return impl_->limits_hit; }

}  // namespace logweir
