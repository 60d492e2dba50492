#include "bankfull/app/convect/report_series.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace bankfull::convect {
namespace {

std::optional<double> number_in(const std::string& cell) {
  double value = 0.0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  return error == std::errc{} && stop == end && std::isfinite(value) ? std::optional(value)
                                                                     : std::nullopt;
}

}  // namespace

ReportSeries::ReportSeries(const std::string& heading, const std::vector<std::string>& integrated,
                           std::size_t max_buckets)
    : names_(parts_of(heading, ',')), max_buckets_(std::max<std::size_t>(2, max_buckets)) {
  const auto place_of = [this](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  };
  time_ = place_of("time");
  require(time_ < names_.size(), "a time series has no column 'time'", "name its columns");
  for (const std::string& name : integrated) {
    if (place_of(name) < names_.size()) {
      integrated_.push_back(place_of(name));
    }
  }
  integrals_.resize(integrated_.size(), 0.0);
}

void ReportSeries::add(const std::string& line) {
  last_ = parts_of(line, ',');
  last_.resize(names_.size());
  std::vector<std::optional<double>> row(names_.size());
  std::transform(last_.begin(), last_.end(), row.begin(), number_in);
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (rows_ > 0) {
    const double duration = row[time_].value_or(unknown) - before_[time_].value_or(unknown);
    for (std::size_t n = 0; n < integrated_.size(); ++n) {
      const std::size_t column = integrated_[n];
      integrals_[n] +=
          0.5 * duration * (row[column].value_or(unknown) + before_[column].value_or(unknown));
    }
  }
  Bucket one{.rows = 1, .columns = {}, .integrals = integrals_};
  for (const std::optional<double>& value : row) {
    one.columns.push_back(
        {.any = value.has_value(), .least = value.value_or(0.0), .most = value.value_or(0.0)});
  }
  before_ = std::move(row);
  ++rows_;
  if (!buckets_.empty() && buckets_.back().rows < rows_per_bucket_) {
    extend(buckets_.back(), one);
    return;
  }
  buckets_.push_back(std::move(one));
  if (buckets_.size() > max_buckets_) {
    merge_buckets();
  }
}

/// By a bucket that follows it.
void ReportSeries::extend(Bucket& bucket, const Bucket& later) const {
  for (std::size_t c = 0; c < names_.size(); ++c) {
    Extremes& one = bucket.columns[c];
    const Extremes& other = later.columns[c];
    if (!one.any) {
      one = other;
    } else if (other.any) {
      const bool lower = other.least < one.least;
      const bool higher = other.most > one.most;
      if (lower || higher) {
        one.falls = lower && (!higher || other.falls);
      }
      one.least = std::min(one.least, other.least);
      one.most = std::max(one.most, other.most);
    }
  }
  bucket.rows += later.rows;
  bucket.integrals = later.integrals;
}

void ReportSeries::merge_buckets() {
  std::vector<Bucket> merged;
  for (std::size_t n = 0; n < buckets_.size(); n += 2) {
    merged.push_back(std::move(buckets_[n]));
    if (n + 1 < buckets_.size()) {
      extend(merged.back(), buckets_[n + 1]);
    }
  }
  buckets_ = std::move(merged);
  rows_per_bucket_ *= 2;
}

std::vector<std::optional<double>> ReportSeries::column(std::size_t number) const {
  std::vector<std::optional<double>> values;
  for (const Bucket& bucket : buckets_) {
    const Extremes& of_bucket = bucket.columns[number];
    const auto push = [&](double value) {
      values.push_back(of_bucket.any ? std::optional(value) : std::nullopt);
    };
    push(of_bucket.falls ? of_bucket.most : of_bucket.least);
    if (bucket.rows > 1) {
      push(of_bucket.falls ? of_bucket.least : of_bucket.most);
    }
  }
  return values;
}

double ReportSeries::first_time(const Bucket& bucket) const { return bucket.columns[time_].least; }

double ReportSeries::last_time(const Bucket& bucket) const { return bucket.columns[time_].most; }

/// Between the last rows of buckets it goes straight.
double ReportSeries::integral_until(std::size_t which, double time) const {
  const auto after = std::ranges::lower_bound(
      buckets_, time, {}, [this](const Bucket& bucket) { return last_time(bucket); });
  if (after == buckets_.end()) {
    return buckets_.back().integrals[which];
  }
  if (after == buckets_.begin()) {
    // Only the end of the first bucket is known; it began at zero.
    const double begin = first_time(*after);
    const double duration = last_time(*after) - begin;
    return duration > 0.0 ? after->integrals[which] * std::max(0.0, time - begin) / duration : 0.0;
  }
  const Bucket& before = *std::prev(after);
  const double part = (time - last_time(before)) / (last_time(*after) - last_time(before));
  return before.integrals[which] + part * (after->integrals[which] - before.integrals[which]);
}

double ReportSeries::mean_between(std::size_t which, double from, double to) const {
  return (integral_until(which, to) - integral_until(which, from)) / (to - from);
}

std::optional<double> ReportSeries::error_of_mean(std::size_t which, double from, double to,
                                                  double mean) const {
  const auto is_within = [&](const Bucket& bucket) {
    return last_time(bucket) > from && last_time(bucket) <= to;
  };
  const auto within = static_cast<std::size_t>(std::ranges::count_if(buckets_, is_within));
  std::optional<double> largest;
  for (const std::size_t batches : {8U, 16U, 32U}) {
    if (within < 2 * batches) {
      break;
    }
    const auto count = static_cast<double>(batches);
    double squares = 0.0;
    for (std::size_t n = 0; n < batches; ++n) {
      const double begin = from + (to - from) * static_cast<double>(n) / count;
      const double difference = mean_between(which, begin, begin + (to - from) / count) - mean;
      squares += difference * difference;
    }
    largest = std::max(largest.value_or(0.0), std::sqrt(squares / (count * (count - 1.0))));
  }
  return largest;
}

std::vector<ReportSeries::Average> ReportSeries::averages(const std::string& name,
                                                          std::size_t most) const {
  const auto found =
      std::ranges::find(integrated_, name, [this](std::size_t column) { return names_[column]; });
  if (found == integrated_.end() || buckets_.empty()) {
    return {};
  }
  const auto which = static_cast<std::size_t>(found - integrated_.begin());
  const std::size_t stride = std::max<std::size_t>(1, (buckets_.size() + most - 1) / most);
  std::vector<Average> averages;
  // Counted back from the last bucket, which is always written.
  for (std::size_t n = (buckets_.size() - 1) % stride; n < buckets_.size(); n += stride) {
    const double to = last_time(buckets_[n]);
    const double from = 0.5 * to;
    if (!(to > 0.0) || !(first_time(buckets_.front()) <= from)) {
      continue;
    }
    const double mean = mean_between(which, from, to);
    if (std::isfinite(mean)) {
      averages.push_back({to, mean, error_of_mean(which, from, to, mean)});
    }
  }
  return averages;
}

}  // namespace bankfull::convect
