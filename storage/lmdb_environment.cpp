#include "storage/lmdb_environment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace flamingo::storage {

namespace {

constexpr const char* remedy = "move it away and start again";

MDB_val value(byte_span bytes) {
  return {bytes.size(), const_cast<byte*>(bytes.data())};  // LMDB does not write through it
}

byte_span span(const MDB_val& x) {
  return {static_cast<const byte*>(x.mv_data), x.mv_size};
}

bool before(byte_span a, const key& b) {
  const int c = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  return c != 0 ? c < 0 : a.size() < b.size();
}

bool no_space(int code) {
  return code == ENOSPC || code == EDQUOT || code == EFBIG;
}

bool is_damage(int code) {
  return code == MDB_INVALID || code == MDB_VERSION_MISMATCH || code == MDB_CORRUPTED ||
         code == MDB_PAGE_NOTFOUND || code == MDB_PAGE_FULL || code == MDB_CURSOR_FULL ||
         code == MDB_INCOMPATIBLE;
}

/// LMDB found its pages at odds with each other; it would abort next, with words for its authors.
void on_assertion(MDB_env* env, const char* what) {
  const char* path = "";
  mdb_env_get_path(env, &path);
  std::fprintf(stderr, "flamingo: store %s: data.mdb is damaged (%s): %s\n", path, what, remedy);
  ::_exit(1);
}

/// Of a list of free pages, as LMDB stores it, those from page `first` on.
std::uint64_t pages_from(std::uint64_t first, byte_span stored) {
  std::uint64_t count = 0, found = 0, page = 0;
  if (stored.size() < sizeof count) return 0;
  std::memcpy(&count, stored.data(), sizeof count);
  count = std::min<std::uint64_t>(count, stored.size() / sizeof page - 1);
  for (std::uint64_t i = 1; i <= count; ++i) {
    std::memcpy(&page, stored.data() + i * sizeof page, sizeof page);
    found += page >= first;
  }
  return found;
}

/// Moves to the first key at or above `at`.
int seek(MDB_cursor* cursor, const key& at, MDB_val* k, MDB_val* v) {
  if (at.size() == 0) return mdb_cursor_get(cursor, k, v, MDB_FIRST);
  *k = value(at);
  return mdb_cursor_get(cursor, k, v, MDB_SET_RANGE);
}

}  // namespace

lmdb_environment::lmdb_environment(const std::filesystem::path& directory, std::uint64_t map_bytes,
                                   sync_mode mode)
    : path_(directory.string()), map_bytes_(map_bytes) {
  make();
  if (const int code = mdb_env_create(&env_)) throw broken("open", code);
  try {
    open(mode);
  } catch (...) {
    guard_.reset();
    mdb_env_close(env_);
    throw;
  }
}

/// LMDB would make a file of 0 bytes first. Made beside and renamed, no store is ever empty, and
/// one that is has lost what it held.
void lmdb_environment::make() const {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path file = fs::path(path_) / "data.mdb", fresh = file.string() + ".new";
  if (fs::exists(file, ignored)) {
    if (fs::file_size(file, ignored) != 0) return;
    throw error("store " + path_ + ": data.mdb is damaged (it is empty): " + remedy);
  }
  fs::remove(fresh, ignored);
  MDB_env* made = nullptr;
  if (const int code = mdb_env_create(&made)) throw broken("make", code);
  int code = mdb_env_open(made, fresh.c_str(), MDB_NOSUBDIR, 0600);
  if (code == 0) code = mdb_env_sync(made, 1);
  mdb_env_close(made);
  fs::remove(fresh.string() + "-lock", ignored);
  if (code == 0 && ::rename(fresh.c_str(), file.c_str()) != 0) code = errno;
  const int directory = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (code == 0 && (directory < 0 || ::fsync(directory) != 0)) code = errno;
  if (directory >= 0) ::close(directory);
  if (code != 0) throw broken("make", code);
}

void lmdb_environment::open(sync_mode mode) {
  const auto check = [this](int code) {
    if (code != 0) throw broken("open", code);
  };
  check(mdb_env_set_mapsize(env_, map_bytes_));
  check(mdb_env_set_maxdbs(env_, table_count));
  // Without MDB_NOSYNC a commit syncs the data pages before it writes (and syncs) the page that
  // refers to them. One sync after both, as MDB_NOSYNC with mdb_env_sync would do, may lose power
  // in between with only the reference on disk, and with it everything that was acknowledged
  // before.
  const unsigned flags =
      MDB_NOTLS | MDB_NORDAHEAD | MDB_NOMEMINIT | (mode == sync_mode::os ? MDB_NOSYNC : 0u);
  check(mdb_env_open(env_, path_.c_str(), flags, 0600));
  check(mdb_env_set_assert(env_, on_assertion));
  guard_.emplace(path_ + "/data.mdb", "flamingo: store " + path_ +
                                          ": data.mdb is damaged (it was cut short, or its device "
                                          "cannot be read): " +
                                          remedy);
  check_length();
  int stale = 0;
  check(mdb_reader_check(env_, &stale));
  MDB_txn* txn = nullptr;
  check(mdb_txn_begin(env_, nullptr, 0, &txn));
  for (std::size_t i = 0; i < table_count; ++i)
    if (const int code = mdb_dbi_open(txn, name(static_cast<table>(i)), MDB_CREATE, &tables_[i])) {
      mdb_txn_abort(txn);
      throw broken("open", code);
    }
  check(mdb_txn_commit(txn));
  MDB_envinfo info;
  check(mdb_env_info(env_, &info));
  map_bytes_ = info.me_mapsize;  // LMDB raises it to what the file needs already
}

lmdb_environment::~lmdb_environment() {
  guard_.reset();
  mdb_env_close(env_);
}

/// Throws if the file ends before what is in it. Free pages may be missing at the end: LMDB writes
/// none that one transaction both took and freed.
void lmdb_environment::check_length() const {
  const snapshot now(*this);
  MDB_envinfo info;
  MDB_stat stat;
  struct stat file {};
  mdb_filehandle_t fd = -1;
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &stat);
  mdb_env_get_fd(env_, &fd);
  if (::fstat(fd, &file) != 0) throw broken("read", errno);
  const std::uint64_t pages = info.me_last_pgno + 1,
                      there = static_cast<std::uint64_t>(file.st_size) / stat.ms_psize;
  if (there >= pages) return;
  if (now.free_pages_from(there) >= pages - there) return;
  throw error("store " + path_ + ": data.mdb is damaged (it was cut short: it has " +
              std::to_string(file.st_size) + " bytes of " + std::to_string(pages * stat.ms_psize) +
              "): " + remedy);
}

bool lmdb_environment::deleted() const {
  mdb_filehandle_t fd = -1;
  struct stat file {};
  mdb_env_get_fd(env_, &fd);
  return ::fstat(fd, &file) != 0 || file.st_nlink == 0;
}

write_result lmdb_environment::apply(std::span<const write_batch* const> batches) {
  MDB_txn* txn = nullptr;
  int code = mdb_txn_begin(env_, nullptr, 0, &txn);
  if (code != 0) return refused(code);
  for (const write_batch* batch : batches)
    if ((code = apply(txn, *batch)) != 0) {
      mdb_txn_abort(txn);
      return refused(code);
    }
  code = mdb_txn_commit(txn);
  if (code != 0) return refused(code);
  if (deleted())
    return {failure::io, "store " + path_ +
                             ": data.mdb was deleted while in use: what is written to it would end "
                             "with this process"};
  return {};
}

int lmdb_environment::apply(MDB_txn* txn, const write_batch& batch) const {
  for (const auto& x : batch.operations()) {
    int code = 0;
    switch (x.what) {
      case write_batch::kind::put:
        code = put(txn, x);
        break;
      case write_batch::kind::erase: {
        MDB_val k = value(x.first);
        code = mdb_del(txn, dbi(x.where), &k, nullptr);
        if (code == MDB_NOTFOUND) code = 0;
        break;
      }
      case write_batch::kind::erase_range:
        code = erase_range(txn, x);
        break;
    }
    if (code != 0) return code;
  }
  return 0;
}

int lmdb_environment::put(MDB_txn* txn, const write_batch::operation& x) const {
  MDB_val k = value(x.first);
  std::size_t size = 0;
  for (const shared_bytes& part : x.value) size += part.size();
  MDB_val room{size, nullptr};
  // The parts are copied into the page that goes to the file: no flat copy in between.
  if (const int code = mdb_put(txn, dbi(x.where), &k, &room, MDB_RESERVE)) return code;
  auto* to = static_cast<byte*>(room.mv_data);
  for (const shared_bytes& part : x.value)
    if (!part.empty())
      to = static_cast<byte*>(std::memcpy(to, part.data(), part.size())) + part.size();
  return 0;
}

int lmdb_environment::erase_range(MDB_txn* txn, const write_batch::operation& x) const {
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn, dbi(x.where), &cursor)) return code;
  MDB_val k, v;
  int code = seek(cursor, x.first, &k, &v);
  while (code == 0 && before(span(k), x.last)) {
    if ((code = mdb_cursor_del(cursor, 0)) == 0) code = seek(cursor, x.first, &k, &v);
  }
  mdb_cursor_close(cursor);
  return code == MDB_NOTFOUND ? 0 : code;
}

write_result lmdb_environment::sync() {
  const int code = mdb_env_sync(env_, 1);
  return code == 0 ? write_result{} : refused(code);
}

lmdb_environment::snapshot::snapshot(const lmdb_environment& from) : from_(from) {
  if (const int code = mdb_txn_begin(from_.env_, nullptr, MDB_RDONLY, &txn_))
    throw from_.broken("read", code);
}

lmdb_environment::snapshot::~snapshot() {
  mdb_txn_abort(txn_);
}

std::optional<byte_span> lmdb_environment::snapshot::get(table where, const key& at) const {
  MDB_val k = value(at), v;
  const int code = mdb_get(txn_, from_.dbi(where), &k, &v);
  if (code == MDB_NOTFOUND) return std::nullopt;
  if (code != 0) throw from_.broken("read", code);
  from_.check_sizes(k, v);
  return span(v);
}

void lmdb_environment::snapshot::scan(table where, const key& first, const key& last,
                                      const visitor& visit) const {
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn_, from_.dbi(where), &cursor))
    throw from_.broken("read", code);
  const std::unique_ptr<MDB_cursor, void (*)(MDB_cursor*)> owner(cursor, mdb_cursor_close);
  MDB_val k, v;
  int code = seek(cursor, first, &k, &v);
  while (code == 0 && before(span(k), last)) {
    from_.check_sizes(k, v);
    if (!visit(span(k), span(v))) break;
    code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT);
  }
  if (code != 0 && code != MDB_NOTFOUND) throw from_.broken("read", code);
}

/// LMDB takes sizes from the file as they are: damaged ones must not be believed by a reader.
void lmdb_environment::check_sizes(const MDB_val& k, const MDB_val& v) const {
  if (k.mv_size > key::size_max || v.mv_size > high_water_bytes())
    throw broken("read", MDB_CORRUPTED);
}

std::uint64_t lmdb_environment::snapshot::free_pages_from(std::uint64_t first) const {
  constexpr MDB_dbi free_pages = 0;  // LMDB's own table
  MDB_cursor* cursor = nullptr;
  if (const int code = mdb_cursor_open(txn_, free_pages, &cursor)) throw from_.broken("read", code);
  const std::unique_ptr<MDB_cursor, void (*)(MDB_cursor*)> owner(cursor, mdb_cursor_close);
  std::uint64_t found = 0;
  MDB_val k, v;
  int code = mdb_cursor_get(cursor, &k, &v, MDB_FIRST);
  for (; code == 0; code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT))
    found += pages_from(first, span(v));
  if (code != MDB_NOTFOUND) throw from_.broken("read", code);
  return found;
}

std::uint64_t lmdb_environment::used_bytes() const {
  const snapshot now(*this);
  return now.used_bytes();
}

std::uint64_t lmdb_environment::snapshot::used_bytes() const {
  std::uint64_t pages = 2;  // the file's two meta pages
  MDB_stat stat{};
  for (const MDB_dbi dbi : from_.tables_) {
    if (const int code = mdb_stat(txn_, dbi, &stat)) throw from_.broken("read", code);
    pages += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
  }
  return pages * stat.ms_psize;
}

std::uint64_t lmdb_environment::high_water_bytes() const {
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &stat);
  return (info.me_last_pgno + 1) * stat.ms_psize;
}

write_result lmdb_environment::refused(int code) const {
  const std::string store = "store " + path_;
  if (code == MDB_MAP_FULL)
    return {failure::map_full, store + " is full: it holds the " +
                                   std::to_string(map_bytes_ >> 20) +
                                   " MiB that store_bytes_max allows; raise that and start again"};
  if (no_space(code) || (code == EIO && no_space(probe())))
    return {failure::disk_full, store + " cannot grow (" +
                                    mdb_strerror(code == EIO ? ENOSPC : code) +
                                    "): free space on its file system and start again"};
  if (is_damage(code))
    return {failure::io, store + ": data.mdb is damaged (" + mdb_strerror(code) + "): " + remedy};
  return {failure::io, store + " cannot be written (" + mdb_strerror(code) +
                           "): check the device and the kernel's log, then start again"};
}

/// LMDB says EIO when a write was cut short, which a full disk does first. Says what growing the
/// file by one more megabyte meets, and takes it back.
int lmdb_environment::probe() const {
  const int fd = ::open((path_ + "/data.mdb").c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const off_t end = ::lseek(fd, 0, SEEK_END);
  const std::vector<char> zeros(1 << 20);
  errno = 0;
  const ssize_t written = ::pwrite(fd, zeros.data(), zeros.size(), end);
  const int code = written < 0                                        ? errno
                   : static_cast<std::size_t>(written) < zeros.size() ? ENOSPC
                                                                      : 0;
  if (::ftruncate(fd, end) != 0) errno = 0;  // a longer file does no harm
  ::close(fd);
  return code;
}

error lmdb_environment::broken(const char* doing, int code) const {
  const std::string what =
      "store " + path_ + ": cannot " + doing + " data.mdb (" + mdb_strerror(code) + "): ";
  if (is_damage(code)) return error(what + "it is no store of this program, or damaged; " + remedy);
  if (code == MDB_MAP_FULL) return error(refused(code).message);
  return error(what + "check the path, its owner and the free space");
}

}  // namespace flamingo::storage
