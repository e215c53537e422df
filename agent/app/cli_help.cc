// SPDX-License-Identifier: Apache-2.0
// `logweir help`: everything comes from the schemas.
#include <fmt/format.h>

#include <ostream>

#include "app/cli.h"
#include "app/instance.h"

namespace logweir {
namespace {

template <typename Entry>
void list(std::ostream& out, std::string_view title, std::span<const Entry* const> entries) {
  out << title << "\n";
  for (const Entry* entry : entries) out << fmt::format("  {:12} {}\n", entry->name, entry->summary);
  out << "\n";
}

void overview(const Shelf& shelf, std::ostream& out) {
  out << "`logweir help PLUGIN` shows every key of a plugin; `logweir help parser` those of a parser.\n\n";
  list(out, "Inputs", shelf.inputs);
  list(out, "Filters", shelf.filters);
  list(out, "Outputs", shelf.outputs);
  out << "Keys of `service`\n" << render_help(service_schema());
}

template <typename Entry>
const Entry* find(std::span<const Entry* const> entries, const std::string& name) {
  for (const Entry* entry : entries) {
    if (same_key(name, entry->name)) return entry;
  }
  return nullptr;
}

// The keys of `common` that the plugin does not have as its own.
std::string help_beside(const Schema& common, const Schema& plugin) {
  std::vector<Option> others;
  for (const Option& option : common.options) {
    if (!has_option(plugin, option.key)) others.push_back(option);
  }
  return render_help({others, {}, nullptr});
}

template <typename Entry>
void page(std::ostream& out, std::string_view kind, const Entry& entry, std::string_view common, const Schema& keys) {
  out << fmt::format("{} {}: {}\n\n", kind, entry.name, entry.summary) << render_help(*entry.schema);
  out << fmt::format("\nKeys that {} takes\n", common) << help_beside(keys, *entry.schema);
}

// Whether there is a page of that name; a name may be one of an input and an output.
bool pages(const std::string& name, const Shelf& shelf, std::ostream& out) {
  bool found = false;
  const auto begin = [&] {
    if (found) out << "\n";
    found = true;
  };
  if (const InputEntry* entry = find(shelf.inputs, name); entry != nullptr) {
    begin();
    page(out, "Input", *entry, "every input", input_keys_schema());
  }
  if (const FilterEntry* entry = find(shelf.filters, name); entry != nullptr) {
    begin();
    page(out, "Filter", *entry, "every filter", filter_keys_schema());
  }
  if (const OutputEntry* entry = find(shelf.outputs, name); entry != nullptr) {
    begin();
    page(out, "Output", *entry, "every output", output_keys_schema());
    out << render_help(lane_schema());
  }
  if (same_key(name, "service")) {
    begin();
    out << "Keys of `service`\n" << render_help(service_schema());
  }
  if (same_key(name, "parser") || same_key(name, "parsers")) {
    begin();
    out << "Keys of an entry of `parsers`\n" << render_help(parser_schema());
  }
  if (same_key(name, "spool")) {
    begin();
    out << spool_help();
  }
  return found;
}

std::vector<std::string_view> known_pages(const Shelf& shelf) {
  std::vector<std::string_view> known;
  for (const InputEntry* entry : shelf.inputs) known.push_back(entry->name);
  for (const FilterEntry* entry : shelf.filters) known.push_back(entry->name);
  for (const OutputEntry* entry : shelf.outputs) known.push_back(entry->name);
  known.push_back("service");
  known.push_back("parser");
  known.push_back("spool");
  return known;
}

}  // namespace

int run_help(const std::string& plugin, const Shelf& shelf, std::ostream& out, std::ostream& err) {
  if (plugin.empty()) {
    overview(shelf, out);
    return 0;
  }
  if (pages(plugin, shelf, out)) return 0;
  const std::string_view near = nearest(plugin, known_pages(shelf));
  err << fmt::format(
      "logweir: error: there is no plugin '{}'{}\n", plugin,
      near.empty() ? std::string("; `logweir help` lists them") : fmt::format("; did you mean '{}'?", near));
  return kExitUsage;
}

}  // namespace logweir
