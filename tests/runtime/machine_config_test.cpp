// Machine files: what is accepted, what every mistake says, and that what is written reads back.
#include "runtime/machine_config.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "core/configuration.hpp"
#include "core/diagnostics.hpp"
#include "runtime/unused_section.hpp"

namespace ew::runtime {
namespace {

std::string error_of(const std::string& text) {
  MachineConfig config;
  try {
    read_toml(text, "m.toml", config);
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MachineFile, ReadsEveryKindOfValue) {
  MachineConfig config;
  read_toml(
      "[device]\nname = \"Mine\"\ncompute_capability = \"8.6\"\nmemory = \"2 GiB\"\nl2 = 4096\nclock = 1530.5\necc = "
      "true\n"
      "[launch]\nblock_limit = [512, 256, 32]\n[sm]\ncount = 3\n[copy]\nhost_to_device = 12.25\nlatency = 0.5\n",
      "m.toml", config);
  EXPECT_EQ(config.device.name, "Mine");
  EXPECT_EQ(config.device.compute_capability, (ComputeCapability{8, 6}));
  EXPECT_EQ(config.device.memory.count, 2ull << 30);
  EXPECT_EQ(config.device.l2.count, 4096u);
  EXPECT_EQ(config.device.clock.count, 1'530'500u);
  EXPECT_TRUE(config.device.ecc);
  EXPECT_EQ(config.launch.block_limit, (Dim3{512, 256, 32}));
  EXPECT_EQ(config.sm.count, 3u);
  EXPECT_EQ(config.copy.host_to_device.count, 12'250'000'000u);
  EXPECT_EQ(config.copy.latency.count, 500u);
}

TEST(MachineFile, NamesTheNearestKey) {
  EXPECT_EQ(error_of("[sm]\n\ncuont = 3\n"), "m.toml:3: unknown key in [sm] \"cuont\" (did you mean \"count\"?)");
}

TEST(MachineFile, NamesTheSectionThatAKeyStandsIn) {
  EXPECT_EQ(error_of("[persistency]\nwindow = 4\n"),
            "m.toml:2: unknown key in [persistency] \"window\" (did you mean \"host.window\" or \"sbrp.window\"?)");
  EXPECT_EQ(
      error_of("[persistency]\npolicy = \"lazy\"\n"),
      "m.toml:2: unknown key in [persistency] \"policy\" (did you mean \"sm_timing.policy\" or \"sbrp.policy\"?)");
  // A slip of a key of this section comes first.
  EXPECT_EQ(error_of("[persistency]\nmodul = 1\n"),
            "m.toml:2: unknown key in [persistency] \"modul\" (did you mean \"model\"?)");
}

TEST(MachineFile, NamesTheNearestSection) {
  EXPECT_EQ(error_of("[devices]\nname = \"x\"\n"), "m.toml:1: unknown section \"devices\" (did you mean \"device\"?)");
}

TEST(MachineFile, ListsTheKeysWhenNoneIsNear) {
  EXPECT_NE(error_of("[copy]\nzzzzzzzzzzzz = 3\n").find("(one of: host_to_device, "), std::string::npos);
}

TEST(MachineFile, RefusesValuesOutOfRange) {
  EXPECT_EQ(error_of("[sm]\ncount = 0\n"), "m.toml:2: sm.count should be a whole number of SMs, 1 .. 1024, but is 0");
  EXPECT_EQ(error_of("[sm]\ncount = -1\n"), "m.toml:2: sm.count should be a whole number of SMs, 1 .. 1024, but is -1");
  EXPECT_NE(error_of("[launch]\nblock_limit = [1024, 0, 64]\n").find("each 1 .. 1024"), std::string::npos);
}

// 1.7, meant as GHz, was taken as 1.7 MHz, and the program ran a thousand times longer in simulated time.
TEST(MachineFile, RefusesClocksInGigahertz) {
  EXPECT_EQ(error_of("[device]\nclock = 1.7\n"),
            "m.toml:2: device.clock should be a number of MHz, 100 .. 10000, but is 1.7");
  for (const char* section : {"host", "crossbar", "mesh"})
    EXPECT_NE(error_of(fmt::format("[{}]\nclock = 2.5\n", section)).find("number of MHz, 100 .. "), std::string::npos);
}

TEST(MachineFile, RefusesWrongTypes) {
  EXPECT_NE(error_of("[sm]\ncount = \"many\"\n").find("but is many"), std::string::npos);
  EXPECT_NE(error_of("[sm]\ncount = 1.5\n").find("but is 1.5"), std::string::npos);
  EXPECT_NE(error_of("[device]\necc = 1\n").find("true or false, but is 1"), std::string::npos);
  EXPECT_NE(error_of("[device]\nmemory = \"6 Gbit\"\n").find("bytes, as 65536 or"), std::string::npos);
  EXPECT_NE(error_of("[launch]\nblock_limit = [1, 2]\n").find("three whole numbers"), std::string::npos);
  EXPECT_NE(error_of("sm = 3\n").find("sm should be a section"), std::string::npos);
}

TEST(MachineFile, RefusesWhatItWouldHaveToRound) {
  EXPECT_NE(error_of("[device]\nclock = 1365.00001\n").find("device.clock should be"), std::string::npos);
}

TEST(MachineFile, ReportsSyntaxErrorsWithTheirLine) {
  EXPECT_EQ(error_of("[sm]\ncount = \n").rfind("m.toml:2: ", 0), 0u);
}

TEST(Setting, AppliesOneValue) {
  MachineConfig config;
  apply_setting("sm.count=7", config);
  apply_setting("device.memory=3GiB", config);
  apply_setting("device.name=My GPU", config);
  EXPECT_EQ(config.sm.count, 7u);
  EXPECT_EQ(config.device.memory.count, 3ull << 30);
  EXPECT_EQ(config.device.name, "My GPU");
}

TEST(Setting, SaysWhatIsWrong) {
  MachineConfig config;
  const auto error_of_setting = [&](std::string_view setting) {
    try {
      apply_setting(setting, config);
    } catch (const core::UserError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(error_of_setting("count=7"), "--set should be section.key=value, as in sm.count=4, but is \"count=7\"");
  EXPECT_EQ(error_of_setting("sm.cuont=7"),
            "--set sm.cuont=7: unknown key in [sm] \"cuont\" (did you mean \"count\"?)");
  EXPECT_EQ(error_of_setting("sm.count=9999"),
            "--set sm.count=9999: sm.count should be a whole number of SMs, 1 .. 1024, but is 9999");
}

TEST(Resolved, ReadsBackTheSame) {
  MachineConfig config;
  apply_setting("copy.latency=1.25", config);
  apply_setting("device.name=a \"quoted\" \\ name", config);
  for (bool sentences : {false, true}) {
    MachineConfig again;
    read_toml(to_toml(config, sentences), "resolved.toml", again);
    EXPECT_EQ(to_toml(again), to_toml(config));
    EXPECT_EQ(again.copy.latency.count, 1250u);
  }
}

TEST(Machines, UnknownNameIsCorrected) {
  try {
    load_machine("defalt");
    FAIL() << "accepted";
  } catch (const core::UserError& error) {
    EXPECT_STREQ(error.what(), "unknown machine \"defalt\" (did you mean \"default\"?)");
  }
}

TEST(Machines, EveryFileReads) {
  ASSERT_GE(core::machine_names().size(), 1u);
  for (const std::string& name : core::machine_names()) EXPECT_NO_THROW(load_machine(name)) << name;
}

std::string refusal_of(std::initializer_list<const char*> settings) {
  MachineConfig config;
  config.machine.mode = "timing";
  try {
    for (const char* setting : settings) apply_setting(setting, config);
    check(config);
  } catch (const core::UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TimingMachine, TheDefaultsStandTogether) {
  EXPECT_EQ(refusal_of({}), "accepted");
}

TEST(TimingMachine, EveryNamedMachineStandsTogether) {
  for (const std::string& name : core::machine_names()) {
    MachineConfig config = load_machine(name);
    config.machine.mode = "timing";
    EXPECT_NO_THROW(check(config)) << name;
  }
}

TEST(TimingMachine, AnImpossibleOneIsRefusedWithTheField) {
  EXPECT_EQ(refusal_of({"l1.line=96"}), "l1.line should be 64 or 128 bytes, but is 96");
  EXPECT_EQ(refusal_of({"l1.line=64", "l1.sector=128"}),
            "l1.sector should be a power of two that divides the line of 64 bytes, but is 128");
  EXPECT_EQ(refusal_of({"l2.sector=24"}),
            "l2.sector should be a power of two that divides the line of 128 bytes, but is 24");
  EXPECT_EQ(refusal_of({"l1.mshrs=0"}).find("--set l1.mshrs=0: l1.mshrs should be a whole number of lines, 1 .."), 0u);
  EXPECT_EQ(refusal_of({"address_map.slices=20"}),
            "address_map.slices should be a multiple of the 12 channels (address_map.channels), but is 20");
  EXPECT_EQ(refusal_of({"network.kind=mesh"}),
            "mesh.columns times mesh.rows should be at least the 30 SMs, each at a router of its own, but is 16");
  EXPECT_EQ(refusal_of({"l1.ways=7"}).find("l1.ways should divide the 512 lines of l1.bytes into sets"), 0u);
  EXPECT_EQ(refusal_of({"l2.set_stretch=3"}),
            "l2.set_stretch should be a power of two that divides the 64 sets of a slice, but is 3");
  EXPECT_EQ(refusal_of({"l1.bytes=65537"}).find("l1.bytes should hold whole lines of 128 bytes"), 0u);
  EXPECT_EQ(refusal_of({"address_map.interleave=64"}).find("address_map.interleave should be a power of two"), 0u);
  EXPECT_EQ(refusal_of({"sm.count=250"}).find("sm.count and the copy engines' ports"), 0u);
  EXPECT_EQ(refusal_of({"managed.page=100000"}).find("managed.page should be a power of two"), 0u);
  EXPECT_EQ(refusal_of({"nvm.granule=96"}), "nvm.granule should be a power of two, but is 96");
  EXPECT_EQ(
      refusal_of({"nvm.attach=near", "nvm.granule=512"}),
      "nvm.granule should be at most address_map.interleave (256 bytes), so that it lies in one channel, but is 512");
  EXPECT_EQ(refusal_of({"nvm.rows=true"}).find("nvm.rows should be false unless nvm.attach is \"near\""), 0u);
  EXPECT_EQ(refusal_of({"nvm.scheduler=64"}).find("nvm.scheduler should be 0 where nvm.combine is on"), 0u);
  EXPECT_EQ(refusal_of({"nvm.scheduler=64", "nvm.combine=false", "nvm.write_low=56"}).find("nvm.write_low should be"),
            0u);
  EXPECT_EQ(refusal_of({"nvm.attach=near", "nvm.channels=7"}),
            "nvm.channels should divide the 24 slices (address_map.slices), but is 7");
  EXPECT_EQ(refusal_of({"host_memory.llc_line=256"})
                .find("host_memory.llc_line should be a power of two of at most 128 bytes where nvm.ddio is on"),
            0u);
}

// These were refused in the middle of the program, at its first allocation, and without the field's section.
TEST(TimingMachine, AnImpossibleSmOrMemoryIsRefusedBeforeTheProgramRuns) {
  EXPECT_EQ(refusal_of({"sm_timing.shared_banks=33"}), "sm_timing.shared_banks should be a power of two, but is 33");
  EXPECT_EQ(refusal_of({"sm_timing.constant_line=33"}), "sm_timing.constant_line should be a power of two, but is 33");
  EXPECT_EQ(refusal_of({"sm_timing.constant_cache=64"}),
            "sm_timing.constant_cache should hold a set of sm_timing.constant_ways (4) lines, but is 64 bytes");
  EXPECT_EQ(refusal_of({"sm_timing.accesses=1"}),
            "sm_timing.accesses should be above 32, which one instruction may take, but is 1");
  EXPECT_EQ(refusal_of({"sm.warps=128"}), "sm.warps should be at most 64 on a timing machine, but is 128");
  EXPECT_EQ(
      refusal_of({"memory.standard=ddr4"}),
      "memory.standard: no standard is called \"ddr4\"; there are gddr5, gddr5x, gddr6, gddr6x, hbm2, hbm2e, hbm3");
  EXPECT_EQ(refusal_of({"l1.tags=4"}),
            "l1.tags should be 1 unless l1.banks is 1 and l1.bank_bytes at least l1.line (128), but is 4");
  EXPECT_EQ(refusal_of({"l1.tags=4", "l1.banks=1", "l1.bank_bytes=128"}), "accepted");
  EXPECT_EQ(refusal_of({"memory.banks=3"}), "memory.banks: must be a power of two up to 64; it is 3");
  EXPECT_EQ(refusal_of({"memory.write_low=60"}).find("memory.write_low should be less than memory.write_high"), 0u);
  EXPECT_EQ(refusal_of({"host_memory.llc=1000"}),
            "host_memory.llc should be a multiple of 1024 bytes, a set of it (host_memory.llc_line, "
            "host_memory.llc_ways), but is 1000");
  EXPECT_EQ(refusal_of({"host_memory.llc=0"}), "accepted");
  EXPECT_EQ(refusal_of({"host_memory.ddio_ways=17"}),
            "host_memory.ddio_ways should be at most the 16 ways of a set (host_memory.llc_ways), but is 17");
  EXPECT_EQ(refusal_of({"host_memory.ddio_ways=16"}), "accepted");
}

TEST(TimingMachine, AnUnknownModelIsRefusedWithTheNearest) {
  EXPECT_EQ(refusal_of({"coherence.protocol=messi"})
                .find("--set coherence.protocol=messi: unknown protocol \"messi\" "
                      "(did you mean \"mesi\"?)"),
            0u);
  EXPECT_NE(refusal_of({"network.kind=crosbar"}).find("did you mean \"crossbar\"?"), std::string::npos);
  EXPECT_NE(refusal_of({"consistency.model=ptxx"}).find("did you mean \"ptx\"?"), std::string::npos);
  EXPECT_NE(refusal_of({"sm_timing.policy=gt"}).find("did you mean \"gto\"?"), std::string::npos);
  EXPECT_NE(refusal_of({"machine.mode=timings"}).find("did you mean \"timing\"?"), std::string::npos);
}

TEST(TimingMachine, AMediumOfAnotherPlaceIsRefused) {
  EXPECT_EQ(refusal_of({"memory.model=simple"}), "accepted");
  EXPECT_NE(refusal_of({"memory.model=simpel"}).find("did you mean \"simple\"?"), std::string::npos);
  EXPECT_NE(refusal_of({"memory.model=nvm"}).find("memory.model should be one of \"dram\", \"simple\""),
            std::string::npos);
  EXPECT_NE(refusal_of({"host_memory.model=dram"}).find("should be one of \"host-memory\""), std::string::npos);
  EXPECT_NE(refusal_of({"nvm.near_model=host-nvm"}).find("should be one of \"nvm\""), std::string::npos);
  EXPECT_NE(refusal_of({"nvm.far_model=nvm"}).find("should be one of \"host-nvm\""), std::string::npos);
}

TEST(TimingMachine, AMemoryWithoutALimitHasNoPeak) {
  MachineConfig config;
  EXPECT_EQ(memory_bandwidth(config).count, 336'000'000'000u);
  apply_setting("memory.model=simple", config);
  EXPECT_EQ(memory_bandwidth(config).count, 0u);
  apply_setting("simple.bandwidth=500", config);
  EXPECT_EQ(memory_bandwidth(config).count, 500'000'000'000u);
}

TEST(TimingMachine, TheSectionOfAnotherModelIsUnused) {
  MachineConfig config;
  EXPECT_EQ(why_unused("crossbar", config), "");
  EXPECT_EQ(why_unused("l1", config), "");
  EXPECT_EQ(why_unused("mesh", config), "[mesh] is read where network.kind is \"mesh\", but it is \"crossbar\"");
  EXPECT_EQ(why_unused("simple", config), "[simple] is read where memory.model is \"simple\", but it is \"dram\"");
  apply_setting("network.kind=mesh", config);
  EXPECT_EQ(why_unused("mesh", config), "");
  EXPECT_NE(why_unused("crossbar", config), "");
}

TEST(TimingMachine, AProtocolOfTheHostThatNoHomeKnowsBesideTheSmsIsRefused) {
  EXPECT_EQ(
      refusal_of({"device.integrated=true", "coherence.protocol=mesi", "coherence.host=denovo"}),
      "coherence.host beside coherence.protocol mesi should be one of same, mesi, but is denovo: no home knows the "
      "copies of both");
  EXPECT_EQ(refusal_of({"device.integrated=true", "coherence.protocol=denovo", "coherence.host=gpu"})
                .find("coherence.host beside coherence.protocol denovo should be one of same, denovo, "),
            0u);
  EXPECT_EQ(refusal_of({"coherence.protocol=mesi", "coherence.host=denovo"}), "accepted") << "there are no such cores";
  EXPECT_EQ(refusal_of({"device.integrated=true", "GD"}), "accepted");
  EXPECT_EQ(refusal_of({"device.integrated=true", "GD", "coherence.protocol=mesi", "coherence.host=same"}), "accepted");
  EXPECT_EQ(
      refusal_of({"coherence.host=denov"}).find("--set coherence.host=denov: unknown host \"denov\" (did you mean"),
      0u);
  EXPECT_EQ(refusal_of({"device.integrated=true", "host_core.ways=7"}),
            "host_core.ways should divide the 256 lines of host_core.bytes into sets, but is 7");
}

// A model that is added brings keys of its own: a section that two models have, or a default that its range refuses,
// would be read from no file.
TEST(Machines, EveryKeyStandsOnceAndItsDefaultIsInRange) {
  MachineConfig config;
  const std::vector<core::Field> fields = fields_of(config);
  std::set<std::string> keys, sections;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const core::Field& field = fields[i];
    EXPECT_TRUE(keys.insert(field.key()).second) << field.key() << " stands twice";
    if (i == 0 || fields[i - 1].section != field.section)
      EXPECT_TRUE(sections.insert(field.section).second) << "[" << field.section << "] is the section of two parts";
    if (field.name.find('.') != field.name.npos) continue;  // of one drive
    try {
      core::apply_setting(field.key() + "=" + core::value_text(field), fields);
    } catch (const core::UserError& error) {
      ADD_FAILURE() << "a default: " << error.what();
    }
  }
}

// Thirteen had none, and `ew explain machine` said nothing in its place.
TEST(Machines, EveryFieldHasASource) {
  MachineConfig config;
  for (const core::Field& field : fields_of(config)) EXPECT_NE(field.source, "") << field.key();
}

// A default or a sentence that the program changes and the file does not, or the reverse. The names of models come from
// their tables, so a new model fails here until the file has its name.
TEST(Machines, DefaultFileSaysEveryDefault) {
  std::ifstream file(core::home_directory() / "machines" / "default.toml");
  std::stringstream text;
  text << file.rdbuf();
  const std::string header = text.str().substr(0, text.str().find("[machine]"));
  const std::string expected = header + to_toml(MachineConfig{}, true);
  if (text.str() == expected) return;
  const std::string written = testing::TempDir() + "/default.toml";
  std::ofstream(written) << expected;
  std::istringstream wanted(expected);
  std::string have, want;
  for (int line = 1;; ++line) {
    const bool more = static_cast<bool>(std::getline(text, have)),
               should = static_cast<bool>(std::getline(wanted, want));
    if (more && should && have == want) continue;
    FAIL() << "machines/default.toml:" << line << ": should be\n  " << (should ? want : "the end") << "\nbut is\n  "
           << (more ? have : "the end") << "\nThe whole file as it should be: " << written;
  }
}

// A common value reaches a drive with settings of its own, whichever was given first; what the drive has said stays.
TEST(Settings, of_one_drive_and_of_all_drives_have_no_order) {
  const std::vector<std::string> settings = {"storage.drives=3",    "storage.1.model=980pro", "storage.image=d{}.img",
                                             "storage.2.size=1MiB", "storage.size=2MiB",      "storage.0.model=p5800x",
                                             "storage.model=pm1735"};
  for (const bool backwards : {false, true}) {
    MachineConfig config;
    for (std::size_t i = 0; i < settings.size(); ++i)
      apply_setting(settings[backwards ? settings.size() - 1 - i : i], config);
    for (const u32 drive : {0u, 1u, 2u}) {
      EXPECT_EQ(config.storage.drive(drive).image, "d{}.img") << drive;
      EXPECT_EQ(config.storage.drive(drive).size.count, drive == 2 ? 1u << 20 : 2u << 20) << drive;
    }
    EXPECT_EQ(config.storage.drive(0).model, "p5800x") << "what it has said, although all drives had it";
    EXPECT_EQ(config.storage.drive(1).model, "980pro");
    EXPECT_EQ(config.storage.drive(2).model, "pm1735");
  }
}

}  // namespace
}  // namespace ew::runtime
