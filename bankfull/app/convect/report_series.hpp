#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::convect {

/// A time series that takes no more room however long a run lasts: rows in buckets of as many,
/// twice as many whenever there are too many buckets, of which each column keeps its least and
/// greatest value, so that no peak is lost.
///
/// Beside them the integrals over time of some columns, which are exact (by the trapezoidal rule
/// through all rows) at the last row of every bucket.
class ReportSeries {
 public:
  /// `heading`: names of columns as series.csv has them, with a column "time". `integrated`: of
  /// which there are to be integrals; names that the heading does not have are passed over. Two
  /// buckets at least.
  ReportSeries(const std::string& heading, const std::vector<std::string>& integrated,
               std::size_t max_buckets);

  /// A line of series.csv. Cells that are no number count as empty.
  void add(const std::string& line);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

  /// Cells of the last row as they were given.
  [[nodiscard]] const std::vector<std::string>& last() const { return last_; }

  /// Points to draw a column with: of each bucket the extremes in the order in which they came, at
  /// the times of its first and last row; one point of a bucket that has one row.
  [[nodiscard]] std::vector<std::optional<double>> column(std::size_t number) const;

  /// The mean of a column over the second half of the time until some moment.
  struct Average {
    double time = 0.0;
    double mean = 0.0;

    /// Standard error by means over batches of that half, the largest for 8, 16 and 32 of them;
    /// nothing where there are fewer than two buckets per batch.
    std::optional<double> error;
  };

  /// At up to so many times. Nothing of a column that is not integrated or has empty cells.
  [[nodiscard]] std::vector<Average> averages(const std::string& name, std::size_t most) const;

 private:
  struct Extremes {
    bool any = false;  ///< else the cells were empty
    double least = 0.0;
    double most = 0.0;
    bool falls = false;  ///< the greatest came first
  };
  struct Bucket {
    std::size_t rows = 0;
    std::vector<Extremes> columns;
    std::vector<double> integrals;  ///< from the first row of all to the last of the bucket; NaN
  };

  void extend(Bucket& bucket, const Bucket& later) const;
  void merge_buckets();
  [[nodiscard]] double integral_until(std::size_t which, double time) const;
  [[nodiscard]] double first_time(const Bucket& bucket) const;
  [[nodiscard]] double last_time(const Bucket& bucket) const;
  [[nodiscard]] double mean_between(std::size_t which, double from, double to) const;
  [[nodiscard]] std::optional<double> error_of_mean(std::size_t which, double from, double to,
                                                    double mean) const;

  std::vector<std::string> names_;
  std::size_t time_ = 0;                 ///< its column
  std::vector<std::size_t> integrated_;  ///< columns
  std::size_t max_buckets_;
  std::size_t rows_per_bucket_ = 1;
  std::size_t rows_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<std::string> last_;
  std::vector<std::optional<double>> before_;  ///< the last row, as numbers
  std::vector<double> integrals_;              ///< until it
};

}  // namespace bankfull::convect
