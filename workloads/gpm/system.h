// The systems under a program of GPMbench: where its kernels store results, and what makes them durable.
//
//   GPM        kernels store to the pool; their fences make it durable (DDIO is off)
//   GPM-NDP    kernels store to the pool, DDIO on; then threads of the host flush what may have changed
//   GPM-eADR   kernels store to the pool, DDIO on; the host's cache is durable (a machine with nvm.eadr)
//   CAP-fs     kernels store to device memory; then it is copied to the host and written to a file, with fsync
//   CAP-mm     kernels store to device memory; then it is copied into the mapped file and flushed by threads
//   CAP-eADR   as CAP-mm without the flush (a machine with nvm.eadr)
//   GPUfs      kernels store to device memory; then the blocks of a kernel write it to a file (<everwarp/gpufs.cuh>)
#pragma once
#include <everwarp/gpufs.cuh>

#include "gpmbench.h"

namespace bench {

/// The first line of every file. `magic` becomes durable last. So a header with it is complete.
struct Header {
  uint64_t magic;
  uint64_t state;  // the program's progress, in its own count; 0 in a new file
  uint32_t shape[60];
};
static_assert(sizeof(Header) == 256, "what follows the header begins on a granule of its own");

__global__ void create_header(Header* header, Header contents) {
  for (int i = 0; i < 60; ++i) header->shape[i] = contents.shape[i];
  gpm_persist();
  header->magic = contents.magic;
  gpm_persist();
}
__global__ void store_state(uint64_t* to, uint64_t state) {
  *to = state;  // @state
  gpm_persist();
}

// How a thread of a kernel makes its own stores durable. A bool: true for a fence, false for nothing. ByCalls: a call
// of GPUfs for the thread's own bytes, which GPUfs does not support.
struct ByCalls {
  gpufs fs;
  int file;
  const char* begin;  // the address of the file's byte 0
};
__device__ inline void persist_mine(bool fence, const void*, size_t) {
  if (fence) gpm_persist();
}
__device__ inline void persist_mine(const ByCalls& calls, const void* address, size_t bytes) {
  const int offset = static_cast<int>(static_cast<const char*>(address) - calls.begin);
  gwrite(calls.fs, calls.file, offset, static_cast<int>(bytes), address);
}
/// Persists one of several stores, which a later fence makes durable together: ByCalls needs a call for each.
__device__ inline void persist_one(bool, const void*, size_t) {}
__device__ inline void persist_one(const ByCalls& calls, const void* address, size_t bytes) {
  persist_mine(calls, address, bytes);
}
__device__ inline void persist_all(bool fence) {
  if (fence) gpm_persist();
}
__device__ inline void persist_all(const ByCalls&) {}

/// GPUfs: each block writes its pieces of `from` to the file. The last block syncs it. `arrivals` is 0 before and
/// after.
__global__ void write_to_file(gpufs fs, int file, const char* from, size_t at, size_t bytes, unsigned* arrivals) {
  for (size_t done = size_t(blockIdx.x) * fs.bytes; done < bytes; done += size_t(gridDim.x) * fs.bytes) {
    const int piece = static_cast<int>(bytes - done < fs.bytes ? bytes - done : fs.bytes);
    if (gwrite(fs, file, static_cast<int>(at + done), piece, from + done) != piece) __trap();
  }
  if (!last_block(arrivals)) return;
  if (gfsync(fs, file) != 0) __trap();
  if (threadIdx.x == 0) *arrivals = 0;
}

struct Array {
  void* memory;
  size_t bytes;
};

/// A program's persistent file: the header, then the program's bytes. Owns the mapping, the file and the device memory.
class Store {
 public:
  /// Makes a new file of this shape, in place of an older one. in_device_memory: if kernels do not store to the file,
  /// it has a copy in device memory, to which they store.
  template <class Shape>
  Store(const Options<Shape>& options, uint64_t magic, size_t bytes, bool in_device_memory = true)
      : path_(options.pool),
        system_(options.system),
        ddio_(options.ddio),
        threads_(options.host_threads),
        bytes_(sizeof(Header) + bytes),
        device_bytes_(in_device_memory ? bytes_ : sizeof(Header)) {
    static_assert(sizeof(Shape) <= sizeof(Header::shape), "the shape fits into the header");
    std::remove(path_.c_str());
    // A log or checkpoints of an older run must not be taken for this one's, if a crash comes before these are made.
    for (const char* suffix : {".log", ".cp"}) std::remove((path_ + suffix).c_str());
    map(true);
    begin();
    Header contents = {magic, 0, {}};
    memcpy(contents.shape, &options.shape, sizeof(Shape));
    if (kernels_persist(system_)) {
      create_header<<<1, 1>>>(header(), contents);
    } else if (system_ == System::gpm_ndp) {
      contents.magic = 0;  // a kernel's stores become durable in any order
      create_header<<<1, 1>>>(header(), contents);
      host_flush(0, sizeof(Header));
      set_word(&Header::magic, magic);
    } else {
      contents.magic = 0;
      CUDA(cudaMemcpy(kernels_, &contents, sizeof contents, cudaMemcpyHostToDevice));
      persist(0, sizeof(Header));
      set_word(&Header::magic, magic);
      reread(sizeof(Header));
      CUDA(cudaMemcpy(kernels_, image_, sizeof contents, cudaMemcpyHostToDevice));
    }
  }
  /// Opens the file that a run under this system has left. is_whole(): its creation was completed.
  Store(const std::string& path, uint64_t magic, System system = System::gpm, bool in_device_memory = true,
        bool ddio = false)
      : path_(path),
        system_(system),
        ddio_(ddio),
        bytes_(pool_bytes(path)),
        device_bytes_(in_device_memory ? bytes_ : sizeof(Header)) {
    if (bytes_ == 0) {
      expect_acknowledged(0, "steps");
      return;
    }
    REQUIRE(bytes_ >= sizeof(Header), "%s should have a header, has %zu bytes", path.c_str(), bytes_);
    map(false);
    begin();
    if (header()->magic == 0) {
      expect_acknowledged(0, "steps");
      return;
    }
    require_magic(path, magic, header()->magic);
    whole_ = true;
    if (!kernels_store(system_)) CUDA(cudaMemcpy(kernels_, image_, device_bytes_, cudaMemcpyHostToDevice));
  }
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  System system() const { return system_; }
  bool is_whole() const { return whole_; }
  uint64_t state() const {
    reread(sizeof(Header));
    return header()->state;
  }
  template <class Shape>
  Shape shape() const {
    Shape shape;
    memcpy(&shape, header()->shape, sizeof shape);
    return shape;
  }
  /// The program's bytes where kernels load and store them; the program's bytes in the file, when they are durable.
  template <class T>
  T* kernels(size_t offset) const {
    return reinterpret_cast<T*>(kernels_ + sizeof(Header) + offset);
  }
  template <class T>
  const T* host(size_t offset) const {
    reread(bytes_);
    return reinterpret_cast<const T*>(image_ + sizeof(Header) + offset);
  }

  /// From here on a flush of the host is measured as "flush". Before, it is measured as "flush of the set-up".
  void begin_work() { flush_phase_ = "flush"; }
  const char* flush_phase() const { return flush_phase_; }

  /// Queues the work that makes kernels' stores to these bytes durable. If kernels persist themselves, there is nothing
  /// to do.
  void persist_results(size_t offset, size_t bytes) { persist(sizeof(Header) + offset, bytes); }
  /// NDP: one thread of the host flushes a few bytes. With more threads it would take longer.
  void flush_entry(size_t offset, size_t bytes) {
    REQUIRE(host_persist(host<char>(offset), bytes, 1) == 0, "the host should have flushed %zu bytes", bytes);
  }
  /// Queues the work that copies these arrays of device memory to `offset`, each on lines of its own, and makes them
  /// durable. For NDP one kernel copies them, as libGPM's does.
  void persist_copies_of(const std::vector<Array>& arrays, size_t offset) {
    const size_t begin = offset;
    everwarp::GpmPieces pieces;
    pieces.count = 0;
    size_t together = 0;
    for (const Array& array : arrays) {
      if (kernels_store(system_)) {
        pieces.piece[pieces.count++] = {kernels<char>(offset), static_cast<const char*>(array.memory), array.bytes};
        together += array.bytes;
        if (pieces.count == everwarp::gpm_pieces || &array == &arrays.back()) {
          everwarp::gpm_copy<false><<<everwarp::gpmcp_blocks(together), 512>>>(pieces);
          pieces.count = 0, together = 0;
        }
      } else if (system_ == System::gpufs) {
        write(array.memory, sizeof(Header) + offset, array.bytes);
      } else {
        CUDA(cudaMemcpy(image_ + sizeof(Header) + offset, array.memory, array.bytes, cudaMemcpyDeviceToHost));
      }
      offset += whole_lines(array.bytes);
    }
    flush(sizeof(Header) + begin, offset - begin);
  }
  /// Stores the state, durable behind everything before it.
  void set_state(uint64_t state) {
    if (kernels_store(system_)) {
      store_state<<<1, 1>>>(reinterpret_cast<uint64_t*>(kernels_) + 1, state);
      persist(0, sizeof(Header));
    } else {
      set_word(&Header::state, state);
    }
  }
  /// The state's word, for a kernel that stores it itself; then comes persist_state(). NDP: a word that is never read.
  /// A kernel's store of the state could become durable before the results, which the host flushes later.
  uint64_t* state_for_kernels() const {
    return system_ == System::gpm_ndp ? unused_ : reinterpret_cast<uint64_t*>(kernels_) + 1;
  }
  void persist_state(uint64_t state) {
    if (system_ == System::gpm_ndp)
      store_by_host(&header()->state, state);
    else
      persist(0, sizeof(Header));
  }
  /// NDP: the host stores a word of the program's bytes. It is durable behind everything before it.
  void store_word(size_t offset, uint32_t value) {
    store_by_host(reinterpret_cast<uint32_t*>(image_ + sizeof(Header) + offset), value);
  }
  /// Calls set_state(), waits, and acknowledges the state as `progress`.
  void commit(uint64_t state, uint64_t progress) {
    set_state(state);
    FINISH_KERNEL();
    gpm_acknowledge(progress);
  }
  /// Launches kernels in which each thread makes its own results durable.
  template <class Launch>
  void with_persists(Launch launch) const {
    if (system_ == System::gpufs)
      launch(ByCalls{fs_, number_, kernels_});
    else
      launch(kernels_persist(system_));
  }
  void end() {
    FINISH_KERNEL();
    if (system_ == System::gpm && !ddio_) gpm_persist_end();
  }

 private:
  Header* header() const { return reinterpret_cast<Header*>(image_); }
  void begin() {
    if (system_ == System::gpm && !ddio_) gpm_persist_begin();
  }

  void map(bool create) {
    if (!kernels_persist(system_)) CUDA(cudaMallocHost(&word_, sizeof *word_));
    if (system_ == System::gpm_ndp) CUDA(cudaMalloc(&unused_, sizeof *unused_));
    if (kernels_store(system_)) {
      image_ = kernels_ = static_cast<char*>(gpm_map(path_.c_str(), bytes_, create));
    } else {
      CUDA(cudaMalloc(&kernels_, device_bytes_));
      CUDA(cudaMemset(kernels_, 0, device_bytes_));
      if (system_ == System::cap_fs || system_ == System::gpufs) {
        file_ = host_file_open(path_.c_str(), bytes_, create);
        REQUIRE(file_ != nullptr, "%s should be opened as a file of %zu bytes", path_.c_str(), bytes_);
        if (system_ == System::gpufs) offer();
        CUDA(cudaMallocHost(&image_, bytes_));
        if (!create)
          REQUIRE(host_file_read(file_, 0, image_, bytes_) == 0 && cudaDeviceSynchronize() == cudaSuccess,
                  "%s should be read", path_.c_str());
      } else {
        image_ = static_cast<char*>(host_map(path_.c_str(), bytes_, create));
      }
    }
    REQUIRE(image_ != nullptr, "%s should be mapped, with %zu bytes", path_.c_str(), bytes_);
  }
  void offer() {
    constexpr unsigned kSlots = 64, kPiece = 1 << 16, kDaemons = 1;  // GPUfs has one daemon
    if (gpufs_start(&fs_, kSlots, kPiece, kDaemons) != 0) exit(2);
    number_ = gpufs_offer(&fs_, file_, path_.c_str());
    if (number_ < 0) exit(2);  // gpufs_offer has said why
    CUDA(cudaMalloc(&arrivals_, sizeof *arrivals_));
    CUDA(cudaMemset(arrivals_, 0, sizeof *arrivals_));
  }
  /// GPUfs: writes bytes of device memory to the file.
  void write(const void* from, size_t at, size_t bytes) {
    const unsigned blocks = std::min(fs_.slots, blocks_for(bytes, fs_.bytes));
    write_to_file<<<blocks, 256>>>(fs_, number_, static_cast<const char*>(from), at, bytes, arrivals_);
    unread_ = bytes_;
  }
  /// GPUfs: reads the file's first `bytes` bytes into the image.
  void reread(size_t bytes) const {
    if (unread_ == 0) return;
    REQUIRE(host_file_read(file_, 0, image_, bytes) == 0, "%s should be read", path_.c_str());
    FINISH_KERNEL();
    if (bytes == bytes_) unread_ = 0;
  }
  void host_flush(size_t at, size_t bytes) {
    REQUIRE(host_persist(image_ + at, bytes, threads_) == 0, "the host should have flushed %zu bytes", bytes);
  }
  void persist(size_t at, size_t bytes) {
    if (kernels_persist(system_)) return;
    if (system_ == System::gpufs) return write(kernels_ + at, at, bytes);
    if (!kernels_store(system_)) CUDA(cudaMemcpy(image_ + at, kernels_ + at, bytes, cudaMemcpyDeviceToHost));
    flush(at, bytes);
  }
  template <class Word>
  void store_by_host(Word* to, Word value) {
    FINISH_KERNEL();  // what uses `word_` has ended
    memcpy(word_, &value, sizeof value);
    REQUIRE(host_copy(to, word_, sizeof value, 1) == 0, "the host should have stored a word");
    flush(static_cast<size_t>(reinterpret_cast<char*>(to) - image_), sizeof value);
    FINISH_KERNEL();
  }
  /// Stores a word of the header, by the host itself.
  void set_word(uint64_t Header::*word, uint64_t value) {
    uint64_t* const to = &(header()->*word);
    if (system_ != System::gpufs) return store_by_host(to, value);
    FINISH_KERNEL();  // what uses `word_` has ended
    word_[0] = value;
    const size_t at = static_cast<size_t>(reinterpret_cast<char*>(to) - image_);
    CUDA(cudaMemcpy(kernels_ + at, word_, sizeof *word_, cudaMemcpyHostToDevice));
    write(kernels_ + at, at, sizeof *word_);
    FINISH_KERNEL();
  }
  /// Makes bytes of the image durable. If the host's cache is durable, there is nothing to do.
  void flush(size_t at, size_t bytes) {
    if (system_ == System::gpm_ndp || system_ == System::cap_mm) {
      const Phase phase(flush_phase_);
      host_flush(at, bytes);
    }
    if (system_ != System::cap_fs) return;
    constexpr size_t kPiece = 1 << 20;
    for (size_t done = 0; done < bytes; done += kPiece)
      REQUIRE(host_file_write(file_, at + done, image_ + at + done, std::min(kPiece, bytes - done)) == 0,
              "%s should have been written", path_.c_str());
    REQUIRE(host_file_sync(file_) == 0, "%s should have been synced", path_.c_str());
  }
  host_file_t file_ = nullptr;
  gpufs fs_ = {};
  int number_ = -1;
  unsigned* arrivals_ = nullptr;
  mutable size_t unread_ = 0;   // the first so many bytes of the file may have changed since the image was read
  uint64_t* word_ = nullptr;    // pinned
  uint64_t* unused_ = nullptr;  // device memory

  std::string path_;
  System system_ = System::gpm;
  bool ddio_ = false;
  uint32_t threads_ = 16;
  size_t bytes_ = 0, device_bytes_ = 0;
  char* kernels_ = nullptr;  // device memory, or the pool
  char* image_ = nullptr;    // the pool, the mapped file, or the buffer that is written to the file
  bool whole_ = false;
  const char* flush_phase_ = "flush of the set-up";
};

/// The log of a program whose kernels log `entries` entries of `bytes` bytes, in blocks of `threads` threads. share 0:
/// an HCL log; entry i has the place of thread i. Else a conventional log, of whose partitions each is shared by so
/// many entries (published programs: 1). Entry i is in partition i modulo the number of partitions.
struct LogShape {
  size_t bytes;
  uint32_t entries, threads, share;
  unsigned blocks() const { return blocks_for(entries, threads); }
  __host__ __device__ uint32_t partitions() const { return share == 0 ? 0 : (entries + share - 1) / share; }
  __device__ int partition_of(uint32_t entry) const {
    return static_cast<int>(share == 0 ? entry : entry % partitions());
  }
  gpmlog* create(const std::string& path) const {
    if (share == 0) return gpmlog_create_hcl(path.c_str(), bytes * blocks() * threads, blocks(), threads);
    return gpmlog_create_conv(path.c_str(), bytes * share * partitions(), partitions());
  }
  /// Opens it. nullptr: there is none yet. A log of another shape is another program's, or another run's.
  gpmlog* open(const std::string& path) const {
    gpmlog* const log = gpmlog_open(path.c_str());
    gpmlog_sizes is = {};
    if (gpmlog_get_sizes(log, &is) != 0) return nullptr;
    const bool same = share == 0 ? is.blocks == blocks() && is.threads == threads : is.partitions == partitions();
    REQUIRE(same, "%s should be a log of %u blocks of %u threads, or of %u partitions; it has %u, %u and %u",
            path.c_str(), share == 0 ? blocks() : 0, share == 0 ? threads : 0, partitions(), is.blocks, is.threads,
            is.partitions);
    return log;
  }
};
/// The partition of a thread that looks after one of the log's: in an HCL log its own, -1; else that of its number. -2:
/// there is none.
__device__ inline int partition_of_thread(const LogShape& log) {
  const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (log.share == 0) return -1;
  return thread < log.partitions() ? static_cast<int>(thread) : -2;
}
/// Empties a log, by its `blocks()` blocks of its `threads` threads.
__global__ void clear_log(gpmlog* log, LogShape shape) {
  const int partition = partition_of_thread(shape);
  if (partition != -2) gpmlog_clear(log, partition);
}

/// What a crash has left of a batch that nothing undoes. A piece (slot, row) is as before the batch, as after it, or
/// torn.
class Remains {
 public:
  void add(const void* before, const void* after, const void* found, size_t bytes) {
    const bool is_old = memcmp(found, before, bytes) == 0, is_new = memcmp(found, after, bytes) == 0;
    changes_ += memcmp(before, after, bytes) != 0;
    new_ += is_new && !is_old;
    torn_ += !is_new && !is_old;
  }
  /// Prints this. Returns main's result: 0 if nothing of the batch is there, or all of it.
  int judge(const char* source, const char* pieces, uint32_t system, uint32_t committed, uint32_t batches) const {
    if (committed == batches)
      return check::passed(source, "%s: all %u batches are committed", kSystemNames[system], batches);
    if (torn_ == 0 && (new_ == 0 || new_ == changes_))
      return check::passed(source, "%s: %s of batch %u of %u is there", kSystemNames[system],
                           new_ == 0 ? "nothing" : "all", committed + 1, batches);
    check::failed(source,
                  "%s: batch %u was cut off: of %zu %s that it changes %zu are as behind it, %zu are torn, the rest as "
                  "before it; nothing undoes them",
                  kSystemNames[system], committed + 1, changes_, pieces, new_, torn_);
  }

 private:
  size_t changes_ = 0, new_ = 0, torn_ = 0;
};

/// Requires that a recovery works under the system of the run.
inline void require_system(const std::string& path, uint32_t of_run, System system) {
  if (of_run == static_cast<uint32_t>(system)) return;
  fprintf(stderr, "%s: is of a run under %s; say so with --system\n", path.c_str(), kSystemNames[of_run]);
  exit(2);
}

}  // namespace bench
