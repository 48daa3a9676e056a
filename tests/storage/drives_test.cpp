// What every drive of the table promises: its published rates and latencies, and what a crash leaves of it.
#include <map>

#include "storage/media/models.hpp"
#include "storage/timed_medium.hpp"
#include "storage_bench.hpp"

namespace ew::storage {

void PrintTo(const DriveModel& model, std::ostream* out) {
  *out << model.name;
}

namespace {

using namespace core::literals;

constexpr core::Kilohertz clock = 1'410_MHz;

/// A medium alone: as many commands as the controller would have under way.
class MediumBench final : public MediumClient {
 public:
  explicit MediumBench(const DriveModel& model, u64 blocks = 1 << 20, bool written = true)
      : model(model),
        image({.bytes = blocks * 512, .block = 512, .written = written}, "bench"),
        contents(image, model.volatile_cache ? model.buffer.count / 512 : 0),
        medium(model, {wheel, clock, contents}) {
    medium.use(*this);
  }

  void done(u32 tag, Status status) override {
    statuses.push_back(status);
    last = wheel.now();
    if (++completed == half) half_time = last;
    if (more > 0) again(tag);
  }
  void start(u32 tag, MediaCommand command) {
    kept[tag].assign(command.blocks * 512, static_cast<u8>(completed + tag + 1));
    if (command.kind != MediaCommand::Kind::flush) command.data = kept[tag];
    medium.start(tag, command);
  }
  void run(u64 until = core::never) {
    wheel.run_due();
    while (wheel.next() != core::never && wheel.next() <= until) {
      wheel.advance(wheel.next());
      wheel.run_due();
    }
  }
  /// Microseconds of one command alone.
  double alone(MediaCommand::Kind kind, u32 blocks) {
    const u64 begin = wheel.now();
    start(0, {.kind = kind, .first = 64, .blocks = blocks});
    run();
    return static_cast<double>(last - begin) / clock.count * 1000;
  }
  /// Commands a second at full load, once buffers are full, in millions; how long each is under way, in microseconds.
  struct Load {
    double rate, latency;
  };
  Load loaded(MediaCommand::Kind kind, u32 blocks, u32 commands) {
    repeated = {.kind = kind, .blocks = blocks};
    more = commands;
    half = commands / 2;
    for (u32 tag = 0; tag < model.commands; ++tag) again(tag);
    run();
    const double rate = (commands - half) / (static_cast<double>(last - half_time) / clock.count * 1000);
    return {rate, model.commands / rate};
  }

  const DriveModel model;
  core::TimeWheel wheel;
  Image image;
  Contents contents;
  TimedMedium medium;
  std::vector<Status> statuses;
  u64 completed = 0;
  core::Cycle last = 0, half_time = 0;
  u64 half = 0;

 private:
  void again(u32 tag) {
    if (more == 0) return;
    --more;
    repeated.first = next_ % (1 << 19);
    next_ += 9973 * repeated.blocks;
    start(tag, repeated);
  }

  MediaCommand repeated;
  u32 more = 0;
  u64 next_ = 0;
  std::map<u32, std::vector<u8>> kept;
};

class Drive : public ::testing::TestWithParam<DriveModel> {};
INSTANTIATE_TEST_SUITE_P(Models, Drive, ::testing::ValuesIn(drive_models().begin(), drive_models().end()),
                         [](const auto& info) { return std::string(info.param.name); });

using Kind = MediaCommand::Kind;

TEST_P(Drive, is_a_controller_that_can_be) {
  const DriveModel& model = GetParam();
  EXPECT_EQ(find_drive_model(model.name)->name, model.name);
  EXPECT_FALSE(model.sentence.empty());
  EXPECT_NO_THROW(check({.queues = model.queues,
                         .entries = model.entries,
                         .commands = model.commands,
                         .transfer_pages = static_cast<u32>(model.transfer.count / 4096),
                         .blocks = 1,
                         .atomic_blocks = static_cast<u32>(model.atomic.count / 512)},
                        "storage.0"));
  // Its rates can be reached with the commands that it takes.
  EXPECT_GE(model.commands * 1e12, static_cast<double>(model.read.small) * model.read.latency.count);
  EXPECT_GE(model.commands * 1e12, static_cast<double>(model.read.page) * model.read.latency.count);
  EXPECT_GE(model.buffer.count, model.atomic.count);
}

TEST_P(Drive, one_command_alone_takes_its_latency) {
  MediumBench bench(GetParam());
  const double read = static_cast<double>(GetParam().read.latency.count) / 1e6;
  const double write = static_cast<double>(GetParam().write.latency.count) / 1e6;
  for (const u32 blocks : {1u, 8u}) {
    EXPECT_NEAR(bench.alone(Kind::read, blocks), read, 0.01);
    EXPECT_NEAR(bench.alone(Kind::write, blocks), write, 0.01);
  }
  EXPECT_GT(bench.alone(Kind::read, 256), read + 1);
}

TEST_P(Drive, many_commands_end_at_its_rates) {
  const DriveModel& model = GetParam();
  const u32 commands = 20'000 + 2 * model.commands;
  const u32 writes = commands + static_cast<u32>(4 * model.buffer.count / 512);
  const auto near = [](double got, u64 expected) { EXPECT_NEAR(got / (expected / 1e6), 1, 0.02); };
  near(MediumBench(model).loaded(Kind::read, 1, commands).rate, model.read.small);
  near(MediumBench(model).loaded(Kind::read, 8, commands).rate, model.read.page);
  near(MediumBench(model).loaded(Kind::write, 8, writes / 8).rate, model.write.page);
  if (!model.volatile_cache) near(MediumBench(model).loaded(Kind::write, 1, writes / 2).rate, model.write.small);
  // Long reads: bytes a second.
  const double stream = MediumBench(model).loaded(Kind::read, 256, 4000).rate * 131'072;
  EXPECT_NEAR(stream / (model.read.stream.count / 1e6), 1, 0.05);
}

TEST_P(Drive, latency_at_saturation_is_as_published) {
  MediumBench bench(GetParam());
  const auto load = bench.loaded(Kind::read, 1, 30'000);
  // BaM, section 2.2.
  const std::map<std::string_view, double> published{{"p5800x", 11}, {"980pro", 324}};
  if (const auto found = published.find(GetParam().name); found != published.end()) {
    EXPECT_NEAR(load.latency / found->second, 1, 0.02);
  }
  EXPECT_GE(load.latency * 1e6, static_cast<double>(GetParam().read.latency.count) * 0.98);
}

TEST_P(Drive, unwritten_blocks_are_read_fast) {
  MediumBench bench(GetParam(), 1 << 20, false);
  EXPECT_NEAR(bench.alone(Kind::read, 8), static_cast<double>(GetParam().unwritten.count) / 1e6, 0.01);
}

TEST_P(Drive, what_a_crash_leaves) {
  const DriveModel& model = GetParam();
  MediumBench bench(model);
  const auto durable = [&](u64 block) {
    std::vector<u8> bytes(512);
    EXPECT_TRUE(bench.image.read(block, bytes).ok());
    return bytes[0];
  };
  bench.start(1, {.kind = Kind::write, .durable = true, .first = 100, .blocks = 1});
  bench.run(core::cycles_covering(clock, {model.write.latency.count / 2}));
  EXPECT_EQ(durable(100), 0) << "not before it is done";
  bench.run(core::cycles_covering(clock, {2 * model.write.latency.count + 100'000'000}));
  EXPECT_EQ(bench.completed, 1u);
  EXPECT_EQ(durable(100), 2);
  // A long write is durable unit by unit.
  bench.start(2, {.kind = Kind::write, .durable = true, .first = 200, .blocks = 64});
  u32 torn = 0;
  while (bench.completed == 1) {
    bench.run(bench.wheel.next());
    torn += durable(200) != durable(263);
  }
  EXPECT_GT(torn, 0u);
  EXPECT_EQ(durable(200), durable(263));
  // Without FUA it depends on the drive.
  bench.start(3, {.kind = Kind::write, .first = 300, .blocks = 8});
  while (bench.completed == 2) bench.run(bench.wheel.next());
  EXPECT_EQ(durable(300) == 0, model.volatile_cache);
  bench.start(4, {.kind = Kind::flush});
  while (bench.completed == 3) bench.run(bench.wheel.next());
  for (u64 block = 300; block < 308; ++block) EXPECT_NE(durable(block), 0);
}

TEST_P(Drive, the_units_of_a_long_write_become_durable_in_no_fixed_order) {
  MediumBench bench(GetParam());
  std::vector<u8> bytes(512);
  const auto old = [&](u64 block) {
    EXPECT_TRUE(bench.image.read(block, bytes).ok());
    return bytes[0] == 0;
  };
  u32 first_alone = 0, last_alone = 0;
  for (u64 time = 0; time < 20; ++time) {
    const u64 completed = bench.completed, from = 1000 + 64 * time;
    bench.start(1, {.kind = Kind::write, .durable = true, .first = from, .blocks = 64});
    while (bench.completed == completed) {
      bench.run(bench.wheel.next());
      first_alone += !old(from) && old(from + 63);
      last_alone += old(from) && !old(from + 63);
    }
    for (u64 block = 0; block < 64; ++block) EXPECT_FALSE(old(from + block));
  }
  EXPECT_GT(first_alone, 0u);
  EXPECT_GT(last_alone, 0u);
}

TEST_P(Drive, a_late_command_is_late_by_so_much_and_a_failing_one_takes_its_time) {
  MediumBench bench(GetParam());
  bench.start(0, {.kind = Kind::read, .first = 64, .blocks = 1, .late = {1'000'000'000}});
  bench.run();
  EXPECT_NEAR(static_cast<double>(bench.last) / clock.count * 1000, GetParam().read.latency.count / 1e6 + 1000, 0.01);
  const core::Cycle begin = bench.wheel.now();
  bench.start(0, {.kind = Kind::read, .first = 64, .blocks = 1, .fails = status::unrecovered_read});
  bench.run();
  EXPECT_EQ(bench.statuses.back(), status::unrecovered_read);
  EXPECT_NEAR(static_cast<double>(bench.last - begin) / clock.count * 1000, GetParam().read.latency.count / 1e6, 0.01);
}

TEST_P(Drive, what_was_cached_becomes_durable_by_itself) {
  MediumBench bench(GetParam());
  for (u32 tag = 0; tag < 20; ++tag) bench.start(tag, {.kind = Kind::write, .first = tag * 8, .blocks = 8});
  bench.run();
  EXPECT_EQ(bench.contents.cached(), 0u);
  std::vector<u8> bytes(512);
  for (u64 block = 0; block < 160; ++block) {
    EXPECT_TRUE(bench.image.read(block, bytes).ok());
    EXPECT_EQ(bytes[0], block / 8 + 1);
  }
}

}  // namespace
}  // namespace ew::storage
