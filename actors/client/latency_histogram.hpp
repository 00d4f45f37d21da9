// Counts of latencies in buckets that grow with them: 32 to each doubling, so a percentile is off
// by at most 1/32. Plain; counts from the intended send time, so a late client hides nothing
// ("coordinated omission", Tene).
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <vector>

namespace flamingo::client {

class latency_histogram {
public:
  using microseconds = std::chrono::microseconds;

  void add(microseconds latency, std::uint64_t times = 1) {
    const auto us = static_cast<std::uint64_t>(std::max<std::int64_t>(0, latency.count()));
    const std::size_t at = bucket_of(us);
    if (at >= counts_.size()) counts_.resize(at + 1);
    counts_[at] += times;
    count_ += times;
    sum_ += us * times;
    max_ = std::max(max_, us);
  }

  void merge(const latency_histogram& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t i = 0; i < other.counts_.size(); ++i) counts_[i] += other.counts_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    max_ = std::max(max_, other.max_);
  }

  std::uint64_t count() const { return count_; }
  microseconds max() const { return microseconds(static_cast<std::int64_t>(max_)); }
  microseconds sum() const { return microseconds(static_cast<std::int64_t>(sum_)); }

  /// The latency that `per_mille` of 1000 do not exceed (as the end of its bucket); 0 when empty.
  microseconds at_per_mille(std::uint64_t per_mille) const {
    const std::uint64_t rank = (count_ * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen >= rank && seen > 0)
        return microseconds(static_cast<std::int64_t>(std::min(max_, end_of(i))));
    }
    return microseconds{0};
  }

  /// By bucket, without the empty ones at the end: to be sent and put together again.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  static latency_histogram from(std::vector<std::uint64_t> counts, microseconds max,
                                microseconds sum) {
    latency_histogram out;
    out.counts_ = std::move(counts);
    for (const auto x : out.counts_) out.count_ += x;
    out.max_ = static_cast<std::uint64_t>(max.count());
    out.sum_ = static_cast<std::uint64_t>(sum.count());
    return out;
  }

  friend bool operator==(const latency_histogram&, const latency_histogram&) = default;

private:
  static constexpr unsigned bits = 5;  // 32 buckets a doubling

  /// Values below 64 have a bucket each.
  static std::size_t bucket_of(std::uint64_t us) {
    const unsigned width = static_cast<unsigned>(std::bit_width(us));
    if (width <= bits + 1) return us;
    const unsigned shift = width - bits - 1;
    return (std::size_t{shift} << bits) + (us >> shift);
  }
  /// The largest value of a bucket.
  static std::uint64_t end_of(std::size_t bucket) {
    if (bucket < (2u << bits)) return bucket;
    const unsigned shift = static_cast<unsigned>(bucket >> bits) - 1;
    return ((bucket - (std::uint64_t{shift} << bits) + 1) << shift) - 1;
  }

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

}  // namespace flamingo::client
