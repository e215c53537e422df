// SPDX-License-Identifier: Apache-2.0
#include "app/tap_desk.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/admin_pages.h"
#include "app/cli_text.h"
#include "app/redact.h"

namespace logweir {

namespace {

constexpr std::uint64_t kMostRecords = 100;
constexpr std::uint64_t kMostWait = 10;  // seconds
constexpr std::size_t kMostMatch = 1000;

// A number in the query from 1 to `most`; `otherwise` when there is none. 0: it is no such number.
std::uint64_t number_in(const HttpRequest& request, std::string_view name, std::uint64_t most,
                        std::uint64_t otherwise) {
  const std::string text = query_value(request.target, name);
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value <= most ? value : 0;
}

template <typename Instance>
bool has(const std::vector<Instance>& instances, const std::string& name) {
  return std::any_of(instances.begin(), instances.end(), [&](const Instance& i) { return i.name == name; });
}

// The point of that name, of a kind when one is asked for.
std::optional<TapPoint> point_of(const Plan& plan, const std::string& kind, const std::string& name) {
  if ((kind.empty() || kind == "input") && has(plan.inputs, name)) return TapPoint::input;
  if ((kind.empty() || kind == "filter") && has(plan.filters, name)) return TapPoint::filter;
  if ((kind.empty() || kind == "output") && has(plan.outputs, name)) return TapPoint::output;
  return std::nullopt;
}

// A page of another site could have its name lead to this machine; then the browser would let it read our answer.
bool asked_by_own_name(const HttpRequest& request) {
  std::string_view host = request.header("host");
  const std::size_t bracket = host.find(']');
  host = host.substr(0, host.find(':', bracket == std::string_view::npos ? 0 : bracket));
  return host == "localhost" || host == "[::1]" ||
         (!host.empty() && host.find_first_not_of("0123456789.") == std::string_view::npos);
}

}  // namespace

struct TapDesk::Session {
  Session(Loop& loop, const HttpReply& to, std::function<void()> end)
      : reply(to), timer(loop.timers(), std::move(end)) {}
  HttpReply reply;
  Timer timer;
  std::size_t left = 0;
  std::string lines;
};

bool tap_is_on(const ServiceOptions& service) {
  if (service.tap != TapMode::local) return service.tap == TapMode::on;
  const std::string& host = service.http_listen;
  return host == "::1" || host == "localhost" || host.rfind("127.", 0) == 0;
}

void TapDesk::take(const HttpRequest& request, const HttpReply& reply) {
  const Plan& plan = setup_.plan();
  if (plan.service.tap == TapMode::local && !asked_by_own_name(request)) {
    return reply.refuse(403, "records are shown to this machine alone; see service.tap");
  }
  TapOrder order;
  order.instance = query_value(request.target, "instance");
  order.match = query_value(request.target, "match").substr(0, kMostMatch);
  order.limit = number_in(request, "limit", kMostRecords, 20);
  const std::uint64_t wait = number_in(request, "wait", kMostWait, 2);
  if (order.limit == 0) return reply.refuse(400, "limit must be a number from 1 to 100");
  if (wait == 0) return reply.refuse(400, "wait must be a number of seconds from 1 to 10");
  const auto point = point_of(plan, query_value(request.target, "kind"), order.instance);
  if (!point) return reply.refuse(404, "no instance has this name; /api/v1/pipeline lists them");
  if (sessions_.size() >= Tap::kMostOrders) return reply.refuse(503, "others look at records already; try again");
  order.point = *point;
  order.id = ++last_id_;
  const std::uint64_t id = order.id;
  order.tell = [this, id, mail = setup_.mail](TappedRecord record) {
    mail([this, id, copy = std::move(record)] { told(id, copy); });
  };
  auto session = std::make_shared<Session>(setup_.loop, reply, [this, id] { end(id); });
  session->left = order.limit;
  session->timer.arm(setup_.loop.now() + static_cast<Nanos>(wait) * kSecond, kMillisecond);
  sessions_.emplace(id, std::move(session));
  setup_.each_worker([order](Pipeline& pipeline) { pipeline.tap().start(order); });
}

void TapDesk::told(std::uint64_t id, const TappedRecord& record) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  Session& session = *found->second;
  session.lines += R"({"tag":)";
  append_json(session.lines, record.tag);
  session.lines += fmt::format(R"(,"time":"{}","record":{}}})", date_of(record.time),
                               redacted(record.body, setup_.plan().service.tap_redact));
  session.lines += '\n';
  if (--session.left == 0) end(id);
}

void TapDesk::end(std::uint64_t id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const auto session = found->second;
  setup_.loop.post([session] {});  // this may be its timer's call
  sessions_.erase(found);
  session->timer.cancel();
  setup_.each_worker([id](Pipeline& pipeline) { pipeline.tap().stop(id); });
  session->reply.send({200, "application/x-ndjson", std::move(session->lines),
                       "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"});
}

void TapDesk::close() {
  while (!sessions_.empty()) end(sessions_.begin()->first);
}

}  // namespace logweir
