// SPDX-License-Identifier: Apache-2.0
#include "pipeline/lane_metrics.h"

namespace logweir {

namespace {

Labels outcome_labels(const std::string& output, const char* outcome) {
  return {{"output", output}, {"outcome", outcome}};
}

}  // namespace

LaneMetrics::LaneMetrics(Metrics& m, const std::string& output)
    : delivered(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "delivered"))),
      retried(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "retried"))),
      rejected(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "rejected"))),
      dropped(m.counter("logweir_output_records_total", "Records by outcome", outcome_labels(output, "dropped"))),
      bytes(m.counter("logweir_output_bytes_total", "Bytes of the bodies of delivered records", {{"output", output}})),
      left(m.counter("logweir_output_left_records_total",
                     "Records left in their files, to be read again for this output alone", {{"output", output}})),
      sends(m.counter("logweir_output_sends_total", "Shipments offered to the output", {{"output", output}})),
      retries(m.counter("logweir_output_retries_total", "Times the lane backed off", {{"output", output}})),
      breaker_opens(
          m.counter("logweir_output_breaker_opens_total", "Times the circuit breaker opened", {{"output", output}})),
      in_flight(m.gauge("logweir_output_in_flight_records", "Records sent and not yet settled", {{"output", output}})),
      queue_bytes(
          m.gauge("logweir_output_queue_bytes", "Bytes the lane holds, in flight ones included", {{"output", output}})),
      left_bytes(m.gauge("logweir_output_left_bytes", "Bytes of files that are to be read again for this output alone",
                         {{"output", output}})),
      oldest_waiting(
          m.gauge("logweir_oldest_waiting_seconds", "Age of the oldest record the lane holds", {{"output", output}})),
      queue_wait(m.histogram("logweir_output_queue_wait_seconds", "Time a run of records waited before it was sent",
                             seconds_buckets(), {{"output", output}})),
      send_time(m.histogram("logweir_output_send_seconds", "Time from send to outcome, per run of records",
                            seconds_buckets(), {{"output", output}})),
      delay(m.histogram("logweir_delivery_delay_seconds", "Time from read to acknowledged, per record",
                        seconds_buckets(), {{"output", output}})) {}

}  // namespace logweir
