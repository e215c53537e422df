// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "plugin/entry.h"
#include "plugin/filter.h"
#include "plugin/input.h"
#include "plugin/output.h"

namespace logweir::fake {

// A shelf of plugins that have schemas and nothing else, for tests of what a conf means.
struct FilesOptions {
  std::vector<std::string> path;
  bool from_head = false;
  std::string db;
};
struct SieveOptions {
  std::vector<std::string> regex;
};
struct PeerOptions {
  std::string host;
  std::int64_t port = 0;
  std::string password;
};

inline constexpr std::array kFilesOptions = {
    option<&FilesOptions::path>("path", "", "Files to read.", kIdentity | kRequired | kCommaList),
    option<&FilesOptions::from_head>("read_from_head", "off", "Start at the beginning."),
    option<&FilesOptions::db>("db", "", "Offsets."),
};
inline constexpr std::array kSieveOptions = {
    option<&SieveOptions::regex>("regex", "", "What may pass.", kRepeats | kIdentity),
};
inline constexpr std::array kPeerOptions = {
    option<&PeerOptions::host>("host", "127.0.0.1", "The peer.", kIdentity),
    option<&PeerOptions::port>("port", "5170", "Its port.", kIdentity, "1..65535"),
    option<&PeerOptions::password>("password", "", "A secret.", kSecret),
};
inline constexpr std::array<std::string_view, 1> kFilesElsewhere = {"docker_mode"};
inline constexpr Schema kFilesSchema{kFilesOptions, kFilesElsewhere, nullptr};
inline constexpr Schema kSieveSchema{kSieveOptions, {}, nullptr};
inline constexpr Schema kPeerSchema{kPeerOptions, {}, nullptr};

inline std::unique_ptr<Input> no_input(OptionsPtr, InputShared*) { return nullptr; }
inline std::unique_ptr<Filter> no_filter(OptionsPtr) { return nullptr; }
inline std::unique_ptr<Output> no_output(OptionsPtr) { return nullptr; }
inline std::string peer_destination(const void* options) {
  const auto& peer = *static_cast<const PeerOptions*>(options);
  return peer.host + ":" + std::to_string(peer.port);
}

inline constexpr InputEntry kFiles{"files",  "Reads.", &kFilesSchema, make_options_of<FilesOptions>,
                                   no_input, nullptr,  true};
inline constexpr InputEntry kPeerInput{"peer", "Listens.", &kPeerSchema, make_options_of<PeerOptions>, no_input};
inline constexpr FilterEntry kSieve{"sieve", "Sieves.", &kSieveSchema, make_options_of<SieveOptions>, no_filter};
inline constexpr OutputEntry kPeer{"peer", "Sends.", &kPeerSchema,    make_options_of<PeerOptions>, no_output,
                                   false,  0,        peer_destination};
inline constexpr OutputEntry kStore{"store",   "Stores.", &kPeerSchema,      make_options_of<PeerOptions>,
                                    no_output, false,     50 * kMillisecond, peer_destination};

inline Shelf shelf() {
  static constexpr std::array kInputs = {&kFiles, &kPeerInput};
  static constexpr std::array kFilters = {&kSieve};
  static constexpr std::array kOutputs = {&kPeer, &kStore};
  return {kInputs, kFilters, kOutputs};
}

}  // namespace logweir::fake
