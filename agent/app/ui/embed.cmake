# SPDX-License-Identifier: Apache-2.0
# cmake -DFROM=DIR -DTO=FILE -P embed.cmake: the status page as a C++ source, with its style and script put in and the
# hashes of both, which its Content-Security-Policy names.
file(READ ${FROM}/page.html html)
file(READ ${FROM}/page.css css)
file(READ ${FROM}/page.js js)
string(SHA256 css_hash "${css}")
string(SHA256 js_hash "${js}")
string(REPLACE "@CSS@" "${css}" html "${html}")
string(REPLACE "@JS@" "${js}" html "${html}")
file(WRITE ${TO} "// Made by agent/app/ui/embed.cmake.
#include \"app/ui_page.h\"
namespace logweir {
const UiPage& ui_page() {
  static constexpr UiPage kPage{R\"___(${html})___\", \"${css_hash}\", \"${js_hash}\"};
  return kPage;
}
}  // namespace logweir
")
