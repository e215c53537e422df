// SPDX-License-Identifier: Apache-2.0
#include "pipeline/post.h"

namespace logweir {

namespace {

std::shared_ptr<Counter> paused_counter(Metrics& metrics, const std::string& input) {
  auto paused_ms = std::make_shared<Counter>();
  metrics.ask_total("logweir_input_paused_seconds_total",
                    "Time the input was kept from reading, since an output or the memory was full", {{"input", input}},
                    [paused_ms] { return static_cast<double>(paused_ms->value()) / 1000; });
  return paused_ms;
}

}  // namespace

Post::Post(PostServices services, std::string name, std::string id, std::vector<std::unique_ptr<Decoder>> decoders)
    : services_(std::move(services)),
      name_(std::move(name)),
      id_(std::move(id)),
      decoders_(std::move(decoders)),
      records_(services_.metrics.counter("logweir_input_records_total", "Records read", {{"input", name_}})),
      bytes_(services_.metrics.counter("logweir_input_bytes_total", "Bytes of the bodies of records read",
                                       {{"input", name_}})),
      lost_bytes_(services_.metrics.counter("logweir_lost_bytes_total",
                                            "Bytes that were destroyed before they could be read", {{"input", name_}})),
      truncated_(services_.metrics.counter("logweir_truncated_records_total", "Records cut at a size limit",
                                           {{"input", name_}})),
      parse_failed_(services_.metrics.counter("logweir_parse_failed_records_total",
                                              "Records that no parser took; they are kept as they came",
                                              {{"input", name_}})),
      time_failed_(services_.metrics.counter("logweir_time_failed_records_total",
                                             "Records whose time could not be read; they keep the time of reading",
                                             {{"input", name_}})),
      batch_bytes_(services_.metrics.histogram("logweir_batch_bytes", "Bytes in a batch as it was read",
                                               bytes_buckets(), {{"input", name_}})),
      batch_records_(services_.metrics.histogram("logweir_batch_records", "Records in a batch as it was read",
                                                 count_buckets(), {{"input", name_}})),
      gate_(services_.loop, paused_counter(services_.metrics, name_), services_.lanes + 1),
      backlog_({services_.loop, services_.batches.pool(), services_.batches, services_.ledger, services_.jobs,
                services_.router, services_.lanes,
                [this](const BatchRef& batch, SourceState& second, std::uint64_t begin, std::uint64_t end) {
                  deliver_again(batch, second, begin, end);
                },
                [this](std::uint64_t bytes) { lose_left(bytes); }, [this](std::size_t lane) { lane_has_room(lane); }}) {
}

void Post::attach(Input* input) {
  gate_.attach(input);
  backlog_.attach(input);
  if (input == nullptr) backlog_.close();
}

// Lanes that hold the input back since no other one took more may leave what comes now.
void Post::lane_has_room(std::size_t lane) {
  gate_.release(lane);
  if (!gate_.held() || backlog_.has(lane)) return;
  for (std::size_t i = 0; i < services_.lanes; ++i) {
    if (services_.router.lane(i).may_be_asked()) gate_.release(i);
  }
}

void Post::lose_left(std::uint64_t bytes) {
  lost_bytes_.add(bytes);
  services_.log.warn("{} bytes that an output had left in a file were destroyed before they could be read again",
                     bytes);
}

ChunkRef Post::room(std::size_t bytes) { return or_hold(services_.space.room(bytes)); }

ChunkRef Post::own_room(std::size_t bytes) { return or_hold(services_.space.own(bytes)); }

ChunkRef Post::exact_room(std::size_t bytes) { return or_hold(services_.space.exact(bytes)); }

ChunkRef Post::or_hold(ChunkRef chunk) {
  if (!chunk) {
    gate_.hold(pool_reason());
    services_.starved();
  }
  return chunk;
}

BatchRef Post::batch(const OriginRef& origin) {
  BatchRef batch = services_.batches.make();
  batch->origin = origin;
  batch->read_at = services_.loop.now();
  return batch;
}

// A decoder that throws is contained like a filter.
Decoded Post::run(Decoder& decoder, Batch& batch, Nanos wall) {
  Decoded sum;
  contained(
      batch, spare_,
      [&](Batch& open) {
        const Decoded done = decoder.decode(open, wall);
        sum.parsed += done.parsed;
        sum.failed += done.failed;
        sum.time_failed += done.time_failed;
        sum.repaired += done.repaired;
      },
      [&](const Batch& open, const Record& record, std::string_view what) {
        services_.poison.take(open, record, name_, what);
      });
  return sum;
}

void Post::decode(Batch& batch) {
  const Nanos wall = services_.loop.wall();
  for (std::size_t i = 0; i < decoders_.size(); ++i) {
    if (i > 0) {
      for (Record& record : batch.records) record.flags &= static_cast<std::uint8_t>(~Record::kParseFailed);
    }
    const Decoded done = run(*decoders_[i], batch, wall);
    if (done.time_failed > 0) time_failed_.add(done.time_failed);
    if (done.failed == 0) return;
    if (i + 1 == decoders_.size()) parse_failed_.add(done.failed);
  }
}

void Post::deliver(BatchRef batch, Source source, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t count = batch->records.size();
  if (batch->bytes == 0) {
    for (const Record& record : batch->records) batch->bytes += record.size;
  }
  records_.add(count);
  bytes_.add(batch->bytes);
  services_.ledger.counts.read += count;
  if (count > 0) {
    batch_bytes_.observe(static_cast<double>(batch->bytes));
    batch_records_.observe(static_cast<double>(count));
  }
  batch->receipt = services_.ledger.begin(*source, begin, end);
  batch->claim = batch->receipt.get();
  batch->source = source->id;
  if (count > 0) {
    decode(*batch);
    if (services_.tap != nullptr && services_.tap->open()) {
      services_.tap->look(TapPoint::input, name_, *batch, 0, static_cast<std::uint32_t>(batch->records.size()));
    }
    services_.ledger.counts.filtered += services_.chain.apply(*batch, services_.loop.wall());
    backlog_.saw(batch->bytes);
    for (Lane* lane : services_.router.route(batch, &backlog_)) {
      if (lane->full() && !backlog_.leaves_next(*lane, *batch)) gate_.hold(lane->index());
    }
  }
  batch->receipt.reset();
}

// What the parsers and filters make of it is what they made of it for the others, who have it.
void Post::deliver_again(const BatchRef& batch, SourceState& second, std::uint64_t begin, std::uint64_t end) {
  const SourceState& source = *second.second_of;
  batch->receipt = services_.ledger.begin(second, begin, end);
  batch->claim = batch->receipt.get();
  batch->source = source.id;
  services_.ledger.counts.recovered += batch->records.size();
  if (!batch->records.empty()) {
    decode(*batch);
    services_.ledger.counts.filtered += services_.chain.apply(*batch, services_.loop.wall());
    services_.router.route_to(second.second_lane, batch, source);
  }
  batch->receipt.reset();
}

void Post::close_source(Source source, bool forget, std::function<void()> finished) {
  services_.ledger.close(source, forget, std::move(finished));
}

void Post::keep_fact(std::string_view key, std::string_view value, std::function<void()> durable) {
  if (services_.state != nullptr) services_.state->put_fact(id_, key, value);
  if (durable) services_.durables.wait(std::move(durable));
}

void Post::drop_fact(std::string_view key) {
  if (services_.state != nullptr) services_.state->drop_fact(id_, key);
}

void Post::count_dropped(std::string_view reason, std::uint64_t records) {
  services_.ledger.counts.read += records;
  services_.ledger.counts.dropped += records;
  records_.add(records);
  services_.metrics
      .counter("logweir_dropped_records_total", "Records that were given up, by component and reason",
               {{"component", name_}, {"reason", std::string(reason)}})
      .add(records);
}

}  // namespace logweir
