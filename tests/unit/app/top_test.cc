// SPDX-License-Identifier: Apache-2.0
#include "app/top.h"

#include <doctest/doctest.h>

#include <sstream>

#include "app/admin_client.h"
#include "app/terminal_text.h"
#include "app/top_table.h"

using namespace logweir;

namespace {

JsonTree tree(const std::string& text) {
  auto read = read_json(text);
  REQUIRE(read.ok());
  return std::move(read).value();
}

std::string page(int time, int records, const std::string& delay) {
  return R"({"logweir":"1","host":"h","time":)" + std::to_string(time) +
         R"(,"delay_bounds":[0.001,0.01],"nodes":[{"kind":"input","name":"a\u001b[2J\u009b","records":)" +
         std::to_string(records) + R"(,"bytes":5,"unread_bytes":1500},{"kind":"output","name":"o","records":)" +
         std::to_string(records) + R"(,"waiting":12,"retries":3,"breaker":"open","delay":)" + delay + "}]}";
}

}  // namespace

TEST_CASE("the table shows rates between two looks and delays of that time alone") {
  const auto lines = top_lines(tree(page(10, 1000, "[100,0,0]")), tree(page(12, 5000, "[100,90,10]")), 200);
  REQUIRE(lines.size() >= 4);
  CHECK(lines[2].rfind("in  a?[2J?", 0) == 0);
  CHECK(lines[2].find(" 2.0k ") != std::string::npos);
  CHECK(lines[2].find(" 1.5k ") != std::string::npos);
  CHECK(lines[3].find(" 6.00ms ") != std::string::npos);  // the 50th of 90 between 1 and 10 ms
  CHECK(lines[3].find(" 10ms ") != std::string::npos);    // beyond the last bound
  CHECK(lines[3].find(" open") != std::string::npos);
}

TEST_CASE("no line is wider than the terminal, and an agent that began anew counts from nothing") {
  for (const std::size_t width : {1, 20, 79}) {
    for (const std::string& line : top_lines(tree(page(10, 9000, "[5,0,0]")), tree(page(11, 50, "[2,0,0]")), width))
      CHECK(line.size() <= width);
  }
  const auto lines = top_lines(tree(page(10, 9000, "[5,0,0]")), tree(page(11, 50, "[2,0,0]")), 200);
  CHECK(lines[2].find("   50 ") != std::string::npos);
  CHECK_FALSE(top_lines(tree("[]"), tree("{}"), 80).empty());
}

TEST_CASE("numbers and times are short") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(999.4) == "999");
  CHECK(short_number(999.6) == "1.0k");
  CHECK(short_number(12345678) == "12M");
  CHECK(short_seconds(-1) == "-");
  CHECK(short_seconds(0.00035) == "0.35ms");
  CHECK(short_seconds(0.25) == "250ms");
  CHECK(short_seconds(42) == "42s");
}

TEST_CASE("a column is cut or filled by characters, not bytes") {
  CHECK(in_column("äöü", 5) == "äöü  ");
  CHECK(in_column("äöü", 5, true) == "  äöü");
  CHECK(in_column("äöü", 3) == "äöü");
  CHECK(in_column("äöü", 2) == "ä~");
  CHECK(in_column("äöü", 0).empty());
}

TEST_CASE("an agent's address is read strictly") {
  CHECK(parse_admin_url("http://127.0.0.1:2021/").value().port == "2021");
  CHECK(parse_admin_url("http://[::1]:5").value().host == "::1");
  CHECK(parse_admin_url("http://localhost").value().port == "2020");
  for (const char* bad : {"", "127.0.0.1:2020", "https://a", "http://", "http://a:b", "http://a:123456", "http://a/b",
                          "http://u@a", "http://a b", "http://a\r\nX: y"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_admin_url(bad).ok());
  }
}

TEST_CASE("top says in a sentence that nothing answers") {
  std::ostringstream out;
  std::ostringstream err;
  CHECK(run_top({"http://127.0.0.1:1", 1, true}, out, err) == 1);
  CHECK(err.str().find("nothing answers at 127.0.0.1 port 1") != std::string::npos);
  CHECK(run_top({"nonsense", 1, true}, out, err) == 64);
  CHECK(run_top({"http://127.0.0.1:1", 0, true}, out, err) == 64);
}
