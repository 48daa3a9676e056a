// `ew pool`: persistent pools as files: which there are, what they hold, whether they are whole, and their end.
#include "runtime/pool.hpp"

#include <everwarp/gpm_format.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/table.hpp"
#include "cli/verb.hpp"
#include "core/diagnostics.hpp"
#include "runtime/name_table.hpp"

namespace ew::cli {
namespace {

namespace fs = std::filesystem;
using core::UserError;
using runtime::NameTable, runtime::PoolHeader;
using Regions = std::optional<std::vector<NameTable::Region>>;

const char* const pool_manual =
    R"text(A pool is what a program maps with gpm_map() or pm_map() (<everwarp/gpm.cuh>): a file that host and
kernels use as memory, and what a crash leaves.

Examples:
  ew pool list                     the pools in this folder
  ew pool info kvs.pool            its size, its address, the regions that pm_alloc() has named; of a log or a
                                   checkpoint file of libGPM also what it holds
  ew pool check *.pool             1 and FAIL for a pool that is torn, foreign, truncated, of another version, or
                                   that cannot be mapped beside another of these
  ew pool rm kvs.pool              the pool goes; a file that is no pool stays
  ew pool rm gpu.nvm grid          the region "grid" goes)text";

/// A pool's bytes, mapped; the header has been checked.
class Bytes {
 public:
  Bytes(const std::string& path, const PoolHeader& header, bool write) : size_(header.size) {
    const int file = ::open(path.c_str(), (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    void* const got = file < 0 ? MAP_FAILED
                               : ::mmap(nullptr, size_, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file,
                                        static_cast<off_t>(header.header_bytes));
    if (file >= 0) ::close(file);
    if (got == MAP_FAILED) throw UserError(fmt::format("pool {}: cannot be mapped", path));
    begin_ = static_cast<u8*>(got);
  }
  ~Bytes() { ::munmap(begin_, size_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  u8* begin() const { return begin_; }
  void sync() const { ::msync(begin_, size_, MS_SYNC); }

 private:
  u8* begin_ = nullptr;
  u64 size_;
};

Regions regions_of(const std::string& path, const PoolHeader& header) {
  const Bytes bytes(path, header, false);
  return NameTable::read(bytes.begin(), header.size, path);
}

void print_log(const everwarp::GpmLogHeader& log) {
  const bool hcl = log.kind == everwarp::gpm_log_hcl;
  u64 used = 0, partitions_in_use = 0, most = 0;
  for (u32 partition = 0; partition < log.partitions; ++partition) {
    const u64 words = everwarp::gpm_log_used(&log, partition);
    used += words;
    partitions_in_use += words != 0;
    most = std::max(most, words);
  }
  fmt::print("a log of libGPM, version {}: {}\n", log.version,
             hcl ? fmt::format("HCL, {} blocks of {} threads", grouped(log.blocks), grouped(log.threads))
                 : fmt::format("conventional, {} partitions", grouped(log.partitions)));
  fmt::print("capacity: {} bytes for each {}\n", grouped(4ull * log.words), hcl ? "thread" : "partition");
  fmt::print("in use: {} bytes of entries in {} {}, {} at most in one\n", grouped(4 * used), grouped(partitions_in_use),
             hcl ? "threads' places" : "partitions", grouped(4 * most));
}

void print_checkpoints(const u8* pool) {
  const auto& file = *reinterpret_cast<const everwarp::GpmCheckpointHeader*>(pool);
  fmt::print("a checkpoint file of libGPM, version {}: {} groups of at most {} elements, two copies of {} bytes\n",
             file.version, grouped(file.groups), grouped(file.elements), grouped(file.copy_bytes));
  const auto* selectors = reinterpret_cast<const everwarp::GpmSelector*>(pool + file.selectors);
  const auto* elements = reinterpret_cast<const everwarp::GpmElement*>(pool + file.table);
  Table table({">group", ">elements", ">bytes", ">checkpoints", ">consistent copy"});
  for (u32 group = 0; group < file.groups; ++group, elements += file.elements) {
    u64 count = 0, bytes = 0;
    for (u32 i = 0; i < file.elements; ++i) {
      count += elements[i].size != 0;
      bytes += elements[i].size;
    }
    const u64 sequence = selectors[group].sequence;
    table.row({grouped(group), grouped(count), grouped(bytes), grouped(sequence),
               sequence == 0 ? "none yet" : fmt::format("{}", sequence % 2)});
  }
  fmt::print("{}", table.text());
}

bool looks_like_a_pool(const fs::path& path) {
  char magic[8] = {};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool same = file >= 0 && ::pread(file, magic, sizeof magic, 0) == sizeof magic &&
                    std::string_view(magic, sizeof magic) == runtime::pool_magic;
  if (file >= 0) ::close(file);
  return same;
}

int list(const std::string& folder) {
  if (!fs::is_directory(folder)) throw UserError(fmt::format("{} is no folder", folder));
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && looks_like_a_pool(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  Table table({"pool", ">bytes", "address", ">regions", "state"});
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    try {
      const PoolHeader header = runtime::read_pool_header(file.string());
      const Regions regions = regions_of(file.string(), header);
      table.row({name, grouped(header.size), fmt::format("{:#x}", header.address),
                 regions ? grouped(regions->size()) : "", runtime::pool_is_mapped(file.string()) ? "mapped" : ""});
    } catch (const UserError& mistake) {
      table.row({name, "", "", "", "broken: `ew pool check` says how"});
    }
  }
  if (table.rows() == 0)
    fmt::print("no pools in {}\n", folder);
  else
    fmt::print("{}", table.text());
  return clean;
}

/// Whether the pool begins as a log of libGPM, or as a checkpoint file.
struct LibraryFile {
  bool log = false, checkpoints = false;
  const char* mistake = nullptr;  // what keeps it from being whole

  LibraryFile(const u8* pool, u64 size) {
    u64 magic = 0;
    if (size < sizeof magic) return;
    std::memcpy(&magic, pool, sizeof magic);
    log = magic == everwarp::gpm_log_magic;
    checkpoints = magic == everwarp::gpm_checkpoint_magic;
    if (log) mistake = everwarp::gpm_log_mistake(pool, size);
    if (checkpoints) mistake = everwarp::gpm_checkpoint_mistake(pool, size);
  }
};

void print_library_file(const u8* pool, u64 size) {
  const LibraryFile file(pool, size);
  if (file.mistake)
    fmt::print("a {} of libGPM that {}\n", file.log ? "log" : "checkpoint file", file.mistake);
  else if (file.log)
    print_log(*reinterpret_cast<const everwarp::GpmLogHeader*>(pool));
  else if (file.checkpoints)
    print_checkpoints(pool);
}

int info(const std::string& file) {
  const PoolHeader header = runtime::read_pool_header(file);
  const Regions regions = regions_of(file, header);
  fmt::print("{}: {} bytes at {:#x}, version {}{}\n", file, grouped(header.size), header.address, header.version,
             runtime::pool_is_mapped(file) ? ", mapped by a process" : "");
  if (!regions) {
    print_library_file(Bytes(file, header, false).begin(), header.size);
    return clean;
  }
  Table table({"region", ">offset", ">bytes"});
  u64 taken = 0;
  for (const NameTable::Region& region : *regions) {
    table.row({region.name, grouped(region.offset), grouped(region.size)});
    taken += region.size;
  }
  fmt::print("{} regions of {} bytes\n{}", regions->size(), grouped(taken), regions->empty() ? "" : table.text());
  return clean;
}

int check(const std::vector<std::string>& files) {
  struct Checked {
    std::string file;
    u64 begin, end;
  };
  std::vector<Checked> whole;
  int status = clean;
  const auto fail = [&](std::string_view why) {
    fmt::print("FAIL {}\n", why);
    status = failed;
  };
  for (const std::string& file : files) {
    try {
      const PoolHeader header = runtime::read_pool_header(file);
      const Regions regions = regions_of(file, header);
      if (const char* mistake = LibraryFile(Bytes(file, header, false).begin(), header.size).mistake)
        throw UserError(fmt::format("pool {}: {}", file, mistake));
      fmt::print("ok   {}: {} bytes{}\n", file, grouped(header.size),
                 regions ? fmt::format(", {} regions", regions->size()) : "");
      whole.push_back({file, header.address, header.address + header.size});
    } catch (const UserError& mistake) {
      fail(mistake.what());
    }
  }
  std::ranges::sort(whole, {}, &Checked::begin);
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (std::size_t k = i + 1; k < whole.size() && whole[k].begin < whole[i].end; ++k)
      fail(fmt::format("pools {} and {} overlap: no process can map both", whole[i].file, whole[k].file));
  return status;
}

int remove(const std::string& file, const std::optional<std::string>& name) {
  if (runtime::pool_is_mapped(file)) throw UserError(fmt::format("pool {}: is mapped by a process", file));
  if (!name) {
    if (!fs::exists(file)) throw UserError(fmt::format("pool {}: there is no such file", file));
    if (!looks_like_a_pool(file))
      throw UserError(fmt::format("pool {}: is not an Everwarp pool; it is left as it is", file));
    fs::remove(file);
    return clean;
  }
  const PoolHeader header = runtime::read_pool_header(file);
  const Bytes bytes(file, header, true);
  NameTable table(
      bytes.begin(), header.size, file, [&](u64, u64) { bytes.sync(); }, false);
  if (!table.remove(*name)) throw UserError(fmt::format("pool {}: has no region \"{}\"", file, *name));
  return clean;
}

}  // namespace

void add_pool(CLI::App& app, int& status) {
  struct Command {
    std::string folder = ".", file;
    std::optional<std::string> name;  // an empty one names no region, and never the pool
    std::vector<std::string> files;
  };
  const auto command = std::make_shared<Command>();
  CLI::App* verb = app.add_subcommand("pool", "Persistent pools: list, look into, check, remove");
  verb->footer(pool_manual);
  verb->require_subcommand(0, 1);
  verb->callback([verb] {
    if (verb->get_subcommands().empty())
      throw UserError("ew pool needs a word: list, info, check or rm; `ew pool --help` has examples");
  });
  CLI::App* all = verb->add_subcommand("list", "The pools in a folder");
  all->add_option("folder", command->folder, "Folder")->type_name("FOLDER");
  all->callback([command, &status] { status = list(command->folder); });
  CLI::App* one = verb->add_subcommand("info", "What a pool is and holds");
  one->add_option("file", command->file, "Pool")->type_name("FILE")->required();
  one->callback([command, &status] { status = info(command->file); });
  CLI::App* checks = verb->add_subcommand("check", "Whether pools are whole, and can be mapped together");
  checks->add_option("files", command->files, "Pools")->type_name("FILE")->required();
  checks->callback([command, &status] { status = check(command->files); });
  CLI::App* end = verb->add_subcommand("rm", "Removes a pool, or a region of it by name");
  end->add_option("file", command->file, "Pool")->type_name("FILE")->required();
  end->add_option("name", command->name, "Region")->type_name("NAME");
  end->callback([command, &status] { status = remove(command->file, command->name); });
}

}  // namespace ew::cli
