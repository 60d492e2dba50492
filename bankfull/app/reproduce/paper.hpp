#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

// What papers print, and what measures it here. The values are in papers/*.toml, which are part of
// the program; papers/README.md explains their keys.

namespace bankfull::reproduce {

/// Which of several measurements counts.
enum class Pick { first, sum, most };

/// A number in the result of a command.
struct Quantity {
  std::vector<std::string> command = {};  ///< without "bankfull"; empty: nothing measures it
  std::vector<std::string> quick = {};    ///< the same with --quick
  std::map<std::string, std::string> where = {};  ///< parameters of the measurement; "*" at an end
                                                  ///< stands for any letters
  std::string figure = {};        ///< "seconds", "gosa", "check NAME", "series NAME" and so on
  std::optional<double> at = {};  ///< of a series; empty: its last point
  Pick pick = Pick::first;
  int ranks = 0;  ///< 0: those of the run
  bool per_rank = false;
};

/// How a row is made of one quantity, or of two.
enum class Relation { alone, divided_by, minus, deviation_from };

/// A value of the paper. NaN: it has none for this machine.
struct Published {
  std::string machine;
  double value = 0.0;
};

struct Row {
  std::string label;
  Quantity ours;
  Relation relation = Relation::alone;
  Quantity other = {};  ///< unless alone
  double times = 1.0;
  std::string unit;  ///< of the published values; ours are converted
  std::vector<Published> published;
  std::string reason = {};  ///< why nothing measures it
  std::string note = {};
  bool is_long = false;  ///< left out with --quick
};

/// A table, a figure, or a section that prints values.
struct Item {
  std::string id;  ///< "table-2"
  std::string title;
  std::string shows = {};    ///< what it shows if that is no measurement; then it has no rows
  std::string instead = {};  ///< and what there is in its place
  std::string note = {};
  std::vector<Row> rows = {};
};

struct Paper {
  std::string key;  ///< "himeno-2010"
  std::string citation;
  std::string found;  ///< where the values were taken from
  std::vector<Item> items;
};

/// Throws UsageError naming the place in the file.
Paper parse_paper(const std::string& text, const std::string& file);

/// All of them, by their keys.
const std::vector<Paper>& papers();

/// Throws UsageError for other keys, naming the nearest.
const Paper& find_paper(const std::string& key);

}  // namespace bankfull::reproduce
