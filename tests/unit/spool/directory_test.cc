// SPDX-License-Identifier: Apache-2.0
#include "spool/directory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "tests/support/real_spool.h"

namespace logweir {

TEST_CASE("a spool's name is safe whatever the instance is called, and no two share one") {
  const std::string odd = spool_name({std::string("../a b\0\n", 8), "x/y"});
  CHECK(odd.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
        std::string::npos);
  CHECK(odd.front() != '.');
  CHECK(spool_name({"", ""}).front() == '_');
  CHECK(spool_name({"a/b", ""}) != spool_name({"a_b", ""}));
  CHECK(spool_name({"a", "b"}) != spool_name({"a", "c"}));
  CHECK(spool_name({std::string(5000, 'x'), std::string(5000, 'y')}).size() < 100);
}

TEST_CASE("spools are found, and other things passed over") {
  Spool spool;
  const std::string root = spool.state_directory() + "/spool/";
  for (const char* other : {"notes", "a-b-c", "x-0123456789abcdef", "/"}) {
    std::filesystem::create_directories(root + other + "/0");
  }
  std::filesystem::create_directories(root + spool_name(Spool::kMine) + "/007");
  const auto places = list_spools(spool.disk, spool.state_directory());
  REQUIRE(places.ok());
  REQUIRE(places.value().size() == 1);
  CHECK(places.value()[0].shard == 0);
  CHECK(std::filesystem::equivalent(places.value()[0].directory, spool.directory));
  CHECK(list_spools(spool.disk, spool.state_directory() + "/none").value().empty());
  CHECK(list_spools_in(spool.disk, spool.state_directory() + "/spool").value().size() == 1);
  CHECK(spool_directory_in(spool.state_directory() + "/spool", Spool::kMine, 0) == spool.directory);
}

TEST_CASE("with fewer workers each shard still has one") {
  const SpoolIdentity mine{"a", "b"};
  std::vector<SpoolPlace> all;
  for (unsigned shard = 0; shard < 5; ++shard) all.push_back({spool_name(mine), shard, ""});
  all.push_back({spool_name({"a", "c"}), 0, ""});
  std::size_t given = 0;
  for (unsigned worker = 0; worker < 2; ++worker) {
    for (const SpoolPlace& place : places_of(all, mine, worker, 2)) {
      CHECK(place.shard % 2 == worker);
      ++given;
    }
  }
  CHECK(given == 5);
}

TEST_CASE("a spool for another destination of the same output is told apart") {
  Spool spool;
  const auto places = list_spools(spool.disk, spool.state_directory());
  CHECK(held_back(places.value(), Spool::kMine).empty());
  CHECK(held_back(places.value(), {"http.0", "https://elsewhere/"}).size() == 1);
  CHECK(held_back(places.value(), {"http.1", "https://logs.example/"}).empty());
}

TEST_CASE("only an empty shard is removed") {
  Spool spool;
  spool.store(3);
  const auto places = list_spools(spool.disk, spool.state_directory());
  REQUIRE(places.value().size() == 1);
  CHECK(remove_spool(spool.disk, places.value()[0]).code() == Code::busy);
  REQUIRE(spool.writer->trim(4, 1).ok());
  REQUIRE(spool.writer->rest(1).ok());
  spool.writer.reset();
  REQUIRE(remove_spool(spool.disk, places.value()[0]).ok());
  CHECK(list_spools(spool.disk, spool.state_directory()).value().empty());
}

}  // namespace logweir
