// SPDX-License-Identifier: Apache-2.0
#include "app/convert_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ostream>

#include "app/cli.h"
#include "app/instance.h"
#include "base/fd.h"
#include "config/convert.h"
#include "config/files.h"

namespace logweir {
namespace {

const Option* find_option(const Schema& schema, std::string_view key) {
  for (const Option& option : schema.options) {
    if (same_key(key, option.key)) return &option;
  }
  return nullptr;
}

template <typename Entry>
const Schema* schema_of(std::span<const Entry* const> entries, std::string_view name) {
  for (const Entry* entry : entries) {
    if (same_key(name, entry->name)) return entry->schema;
  }
  return nullptr;
}

// The schemas that read a section.
std::vector<const Schema*> schemas_of(RawItem::Kind kind, std::string_view plugin, const Shelf& shelf) {
  switch (kind) {
    case RawItem::Kind::service:
      return {&service_schema()};
    case RawItem::Kind::parser:
      return {&parser_schema()};
    case RawItem::Kind::input:
      return {&input_keys_schema(), schema_of(shelf.inputs, plugin)};
    case RawItem::Kind::filter:
      return {&filter_keys_schema(), schema_of(shelf.filters, plugin)};
    case RawItem::Kind::output:
      return {&output_keys_schema(), &lane_schema(), schema_of(shelf.outputs, plugin)};
    case RawItem::Kind::env:
    case RawItem::Kind::include:
    case RawItem::Kind::multiline_parser:
      break;
  }
  return {};
}

// What no schema knows is kept whole, as a list.
Repeated repeated(RawItem::Kind kind, std::string_view plugin, std::string_view key, const Shelf& shelf) {
  for (const Schema* schema : schemas_of(kind, plugin, shelf)) {
    const Option* option = schema != nullptr ? find_option(*schema, key) : nullptr;
    if (option == nullptr) continue;
    if ((option->marks & kRepeats) == 0) return Repeated::last;
    return (option->marks & kCommaList) != 0 ? Repeated::comma_list : Repeated::list;
  }
  return Repeated::list;
}

// As readable as the old conf, which may hold secrets.
Status write_new(const std::string& path, const std::string& old, std::string_view text) {
  struct stat about{};
  const mode_t mode = ::stat(old.c_str(), &about) == 0 ? about.st_mode & 0666u : 0600u;
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!fd) return Status::from_errno(errno, fmt::format("can't make {}", path));
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd.get(), text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return Status::from_errno(errno, fmt::format("can't write {}", path));
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

// A relative path in a conf is looked for beside it.
bool moves(const ConvertRequest& request) {
  return !request.to.empty() && request.to != "-" && folder_of(request.to) != folder_of(request.from);
}

int fail(std::ostream& err, const std::string& why, int code) {
  err << "logweir: error: " << why << "\n";
  return code;
}

}  // namespace

int run_convert(const ConvertRequest& request, const Shelf& shelf, std::ostream& out, std::ostream& err) {
  const Result<TextFile> file = read_text_file(request.from);
  if (!file.ok()) return fail(err, file.status().message(), kExitConf);
  if (looks_like_yaml(request.from, file.value().text)) {
    return fail(err, fmt::format("{} is YAML already", request.from), kExitConf);
  }
  const KeyTeller teller = [&shelf](RawItem::Kind kind, std::string_view plugin, std::string_view key) {
    return repeated(kind, plugin, key, shelf);
  };
  Problems problems;
  const std::string yaml = classic_to_yaml(file.value().text, request.from, teller, problems);
  err << problems.text();
  if (problems.failed()) return kExitConf;
  if (request.to.empty() || request.to == "-") {
    out << yaml << std::flush;
    return out.good() ? 0 : fail(err, "the standard output takes no more", 1);
  }
  if (const Status status = write_new(request.to, request.from, yaml); !status.ok())
    return fail(err, status.message(), 1);
  if (moves(request)) {
    err << fmt::format(
        "logweir: warning: included files and parsers files with relative paths are looked for beside "
        "{} now, then in the working directory\n",
        request.to);
  }
  return 0;
}

}  // namespace logweir
