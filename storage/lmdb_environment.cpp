#include "storage/lmdb_environment.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace flamingo::storage {

namespace {

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
  if (const int code = mdb_env_create(&env_)) throw broken("open", code);
  try {
    open(mode);
  } catch (...) {
    mdb_env_close(env_);
    throw;
  }
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
  mdb_env_close(env_);
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
  return code == 0 ? write_result{} : refused(code);
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
  while (code == 0 && before(span(k), last) && visit(span(k), span(v)))
    code = mdb_cursor_get(cursor, &k, &v, MDB_NEXT);
  if (code != 0 && code != MDB_NOTFOUND) throw from_.broken("read", code);
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
  if (code == MDB_INVALID || code == MDB_VERSION_MISMATCH || code == MDB_CORRUPTED)
    return error(what + "it is no store of this program, or damaged; move it away and start again");
  if (code == MDB_MAP_FULL) return error(refused(code).message);
  return error(what + "check the path, its owner and the free space");
}

}  // namespace flamingo::storage
