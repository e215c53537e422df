// SPDX-License-Identifier: Apache-2.0
#include "app/status_pages.h"

#include "app/fluent_metrics.h"
#include "app/fluent_pages.h"
#include "app/pipeline_page.h"
#include "app/ui_page.h"
#include "plugins/builtin.h"

namespace logweir {

namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";

// Figures of a moment ago are no use, and a guess at their type could make a page of them.
constexpr const char* kFresh = "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n";

}  // namespace

void StatusPages::add_to(Admin& admin, bool fluent_names) {
  admin.add(
      {"/api/v1/pipeline", "all instances with their counters, queues and edges, as JSON", [this](const HttpRequest&) {
         Figures figures(metrics_);
         return HttpAnswer{200, kJson, pipeline_json(look_(), figures), kFresh};
       }});
  admin.add({"/ui", "the status page, for a browser", [](const HttpRequest&) { return ui_answer(); }, false});
  add_fluent(admin);
  if (fluent_names) add_fluent_names(admin);
}

void StatusPages::add_fluent(Admin& admin) {
  admin.add({"/api/v1/uptime", "how long it has been running",
             [this](const HttpRequest&) { return HttpAnswer{200, kJson, uptime_json(look_().uptime)}; }, false});
  admin.add({"/api/v1/plugins", "the plugins it contains",
             [](const HttpRequest&) { return HttpAnswer{200, kJson, plugins_json(builtin_shelf())}; }, false});
  admin.add({"/api/v1/metrics", "counters by instance, as Fluent Bit has them", [this](const HttpRequest&) {
               Figures figures(metrics_);
               return HttpAnswer{200, kJson, fluent_metrics_json(look_(), figures)};
             }});
  admin.add({"/api/v1/storage", "memory and spools, as Fluent Bit has them", [this](const HttpRequest&) {
               Figures figures(metrics_);
               return HttpAnswer{200, kJson, storage_json(look_(), figures)};
             }});
  admin.add({"/api/v2/metrics", "figures under Fluent Bit's names, as text", [this](const HttpRequest&) {
               Figures figures(metrics_);
               const AgentFacts facts = look_();
               return HttpAnswer{200, "text/plain; charset=utf-8",
                                 fluent_text(fluent_families(facts, figures), facts.now)};
             }});
}

void StatusPages::add_fluent_names(Admin& admin) {
  admin.add({"/api/v1/metrics/prometheus", "Fluent Bit's names for Prometheus, version 1", [this](const HttpRequest&) {
               Figures figures(metrics_);
               const AgentFacts facts = look_();
               return HttpAnswer{200, kPrometheus, fluent_prometheus_v1(fluent_families(facts, figures), facts.now)};
             }});
  admin.add({"/api/v2/metrics/prometheus", "Fluent Bit's names for Prometheus, version 2", [this](const HttpRequest&) {
               Figures figures(metrics_);
               return HttpAnswer{200, kPrometheus, fluent_prometheus_v2(fluent_families(look_(), figures))};
             }});
}

}  // namespace logweir
