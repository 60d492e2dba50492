#include "bankfull/app/choices.hpp"
#include "bankfull/app/counts.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/publish.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/precision_names.hpp"
#include "bankfull/core/comm/axes.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/halo_regions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace bankfull {
namespace {

constexpr std::int64_t largest_dimension = std::int64_t{1} << 31;
constexpr std::int64_t max_bytes = std::int64_t{1} << 60;
constexpr int max_rows = 100'000;
constexpr int widest_halo = 16;
constexpr int max_fields = 1000;

struct DecomposeOptions {
  std::string cells;
  std::string ranks;
  int halo_width = 1;
  std::string reach = "faces";
  int fields = 1;
  std::string precision = "fp32";
  std::string periodic = "none";
  std::string cut = "ijk";
  std::optional<int> top;
  std::optional<std::string> json;
};

struct Axes {
  bool i = false;
  bool j = false;
  bool k = false;
};

/// What the options ask for, checked.
struct Question {
  Extents cells;
  std::vector<int> rank_counts;  ///< ascending
  HaloShape halo;
  Periodicity periodic;
  Axes cut;
  int fields = 1;
  Precision precision = Precision::fp32;

  [[nodiscard]] DecompositionRules rules() const {
    RankGrid max = DecompositionRules{}.max_grid;
    max = {cut.i ? max.i : 1, cut.j ? max.j : 1, cut.k ? max.k : 1};
    return {.periodic = periodic,
            .halo_width = halo.width,
            .max_grid = max,
            .strided_cost = cells_per_sector(static_cast<std::size_t>(bytes_of(precision)))};
  }
};

/// What a number of ranks makes of the cells.
struct Split {
  Decomposition chosen;
  RankGrid most_balanced;
  std::int64_t sent_bytes = 0;  ///< by the busiest rank in one exchange
  int messages = 0;             ///< likewise

  [[nodiscard]] int ranks() const { return chosen.ranks(); }
  [[nodiscard]] double balance() const { return imbalance(most_balanced); }
};

struct Answer {
  std::vector<Split> splits;  ///< in the order of the question
  std::vector<int> impossible;
};

Extents parse_cells(const std::string& text) {
  const std::string remedy =
      fmt::format("use IxJxK such as 512x512x1024, each from 1 to {}", largest_dimension);
  const std::vector<std::string> parts = parts_of(text, 'x');
  if (parts.size() != 3) {
    throw UsageError("--cells " + text + " is not a grid", remedy);
  }
  const auto dimension = [&](std::size_t axis) {
    const auto value = parse_count(parts[axis], largest_dimension);
    if (!value) {
      throw UsageError(fmt::format("--cells {}: '{}' is not a number of cells", text, parts[axis]),
                       remedy);
    }
    return *value;
  };
  return {dimension(0), dimension(1), dimension(2)};
}

HaloShape::Reach parse_reach(const std::string& text) {
  if (text == "faces") {
    return HaloShape::Reach::faces;
  }
  if (text == "edges") {
    return HaloShape::Reach::edges;
  }
  if (text == "corners") {
    return HaloShape::Reach::corners;
  }
  throw UsageError("--reach " + text + " is unknown", "use faces, edges or corners");
}

/// `remedy`: where the text names no axes.
Axes parse_axes(const std::string& option, const std::string& text, const std::string& remedy) {
  const auto times = [&](char axis) { return std::count(text.begin(), text.end(), axis); };
  const bool known = text.find_first_not_of("ijk") == std::string::npos;
  if (text.empty() || !known || times('i') > 1 || times('j') > 1 || times('k') > 1) {
    throw UsageError(option + " " + text + " names no axes", remedy);
  }
  return {times('i') > 0, times('j') > 0, times('k') > 0};
}

Periodicity parse_periodic(const std::string& text) {
  if (text == "none") {
    return {};
  }
  const Axes axes = parse_axes("--periodic", text, "use none, or letters of ijk");
  return {axes.i, axes.j, axes.k};
}

/// No product of the figures below may overflow.
void require_bytes(const DecomposeOptions& options, const Question& question) {
  const auto [ni, nj, nk] = per_axis(question.cells);
  const double bytes = static_cast<double>(ni) * static_cast<double>(nj) * static_cast<double>(nk) *
                       question.fields * static_cast<double>(bytes_of(question.precision));
  if (bytes > static_cast<double>(max_bytes)) {
    throw UsageError("--cells " + options.cells + " is beyond any memory", "use fewer cells");
  }
}

Question question_from(const DecomposeOptions& options) {
  Question question{.cells = parse_cells(options.cells),
                    .rank_counts = parse_rank_counts(options.ranks, Repeated::merged),
                    .halo = {options.halo_width, parse_reach(options.reach)},
                    .periodic = parse_periodic(options.periodic),
                    .cut = parse_axes("--cut", options.cut, "use letters of ijk"),
                    .fields = options.fields,
                    .precision = parse_precision(options.precision)};
  require_bytes(options, question);
  return question;
}

/// The most balanced of some grids; among these the one with the least communication.
RankGrid most_balanced_of(const std::vector<RankGrid>& grids, const Question& question) {
  const auto cost = [&](const RankGrid& grid) {
    const Decomposition decomposition(question.cells, grid, question.periodic);
    return std::tuple(imbalance(grid), face_cells(decomposition), -grid.i, -grid.j);
  };
  return *std::min_element(grids.begin(), grids.end(),
                           [&](const RankGrid& a, const RankGrid& b) { return cost(a) < cost(b); });
}

Split split_of(int ranks, const std::vector<RankGrid>& grids, const Question& question) {
  const Decomposition chosen = choose_decomposition(question.cells, ranks, question.rules());
  return {.chosen = chosen,
          .most_balanced = most_balanced_of(grids, question),
          .sent_bytes = busiest_halo_cells(chosen, question.halo) * question.fields *
                        bytes_of(question.precision),
          .messages = busiest_halo_messages(chosen, question.halo)};
}

/// Throws UsageError where no number of ranks can split the cells.
Answer answer_to(const Question& question) {
  Answer answer;
  for (const int ranks : question.rank_counts) {
    const auto grids = allowed_grids(question.cells, ranks, question.rules());
    if (grids.empty()) {
      answer.impossible.push_back(ranks);
    } else {
      answer.splits.push_back(split_of(ranks, grids, question));
    }
  }
  if (answer.splits.empty()) {
    // It cannot choose either, and says why and which number of ranks works.
    static_cast<void>(
        choose_decomposition(question.cells, question.rank_counts.front(), question.rules()));
  }
  return answer;
}

/// "127, 131:133".
std::string ranges_text(const std::vector<int>& ascending) {
  std::string text;
  for (std::size_t n = 0; n < ascending.size();) {
    std::size_t last = n;
    while (last + 1 < ascending.size() && ascending[last + 1] == ascending[last] + 1) {
      ++last;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ascending[n]);
    text += last > n ? fmt::format(":{}", ascending[last]) : "";
    n = last + 1;
  }
  return text;
}

/// "170..171x256x512": the fewest and the most cells along each axis.
std::string block_text(const Decomposition& decomposition) {
  const auto least = per_axis(decomposition.smallest_block());
  const auto most = per_axis(decomposition.largest_block());
  const auto texts = for_axes([&](std::size_t axis) {
    return least[axis] == most[axis] ? fmt::format("{}", most[axis])
                                     : fmt::format("{}..{}", least[axis], most[axis]);
  });
  return fmt::format("{}", fmt::join(texts, "x"));
}

/// How much more than the mean the largest block has, which is how long all others wait.
double percent_over_mean(const Decomposition& decomposition) {
  const double mean = static_cast<double>(decomposition.cells().count()) / decomposition.ranks();
  return 100.0 * (static_cast<double>(decomposition.largest_block().count()) / mean - 1.0);
}

/// The fewest bytes that the busiest rank sends come first: they are of the grids that programs
/// choose, whatever other factors a number of ranks has.
std::string ranking(std::vector<Split> splits, const std::optional<int>& top) {
  std::sort(splits.begin(), splits.end(), [](const Split& a, const Split& b) {
    return std::tuple(a.sent_bytes, a.messages, -a.ranks()) <
           std::tuple(b.sent_bytes, b.messages, -b.ranks());
  });
  if (top && static_cast<std::size_t>(*top) < splits.size()) {
    splits.erase(splits.begin() + *top, splits.end());
  }
  Table table({"ranks", "grid", "sends", "messages", "cells per rank", "over mean", "balance",
               "most balanced", "its balance"});
  for (const Split& split : splits) {
    table.add_row({fmt::format("{}", split.ranks()), to_string(split.chosen.grid()),
                   format_bytes(static_cast<double>(split.sent_bytes)),
                   fmt::format("{}", split.messages), block_text(split.chosen),
                   fmt::format("{:.1f} %", percent_over_mean(split.chosen)),
                   fmt::format("{:.3f}", imbalance(split.chosen.grid())),
                   to_string(split.most_balanced), fmt::format("{:.3f}", split.balance())});
  }
  return table.text();
}

std::vector<Figure> describe(const Question& question, const DecomposeOptions& options) {
  return {{.name = "i", .value = question.cells.ni},
          {.name = "j", .value = question.cells.nj},
          {.name = "k", .value = question.cells.nk},
          {.name = "ranks", .value = options.ranks},
          {.name = "halo_width", .value = std::int64_t{question.halo.width}},
          {.name = "reach", .value = options.reach},
          {.name = "fields", .value = std::int64_t{question.fields}},
          {.name = "precision", .value = to_string(question.precision)},
          {.name = "periodic", .value = options.periodic},
          {.name = "cut", .value = options.cut}};
}

/// A figure of every split over its number of ranks.
template <class Value>
Series curve(const std::string& name, const std::string& y_name, const std::string& y_unit,
             const std::vector<Split>& splits, const Value& value) {
  Series series{.name = name,
                .x_name = "ranks",
                .x_unit = "",
                .y_name = y_name,
                .y_unit = y_unit,
                .points = {},
                .parameters = {}};
  for (const Split& split : splits) {
    series.points.emplace_back(split.ranks(), static_cast<double>(value(split)));
  }
  return series;
}

RunResult result_of(const Question& question, const DecomposeOptions& options,
                    const Answer& answer) {
  RunResult result{.workload = "decompose",
                   .problem = describe(question, options),
                   .measurements = {},
                   .series = {},
                   .checks = {},
                   .notes = {}};
  result.series = {curve("balance, most balanced grid", "balance", "", answer.splits,
                         [](const Split& split) { return split.balance(); }),
                   curve("balance, grid of least communication", "balance", "", answer.splits,
                         [](const Split& split) { return imbalance(split.chosen.grid()); }),
                   curve("sent by the busiest rank", "bytes", "B", answer.splits,
                         [](const Split& split) { return split.sent_bytes; }),
                   curve("messages of the busiest rank", "messages", "", answer.splits,
                         [](const Split& split) { return split.messages; })};
  if (!answer.impossible.empty()) {
    result.notes = {"cannot split: " + ranges_text(answer.impossible)};
  }
  return result;
}

ExitCode run_decompose(const DecomposeOptions& options, const Communicator& ranks) {
  const Question question = question_from(options);
  const Answer answer = answer_to(question);
  CommonOptions common;
  common.json = options.json;
  return run_and_publish(
      common, {}, ranks, [&](const RunContext&) { return result_of(question, options, answer); },
      {.extra = [&](const RunResult&) { return ranking(answer.splits, options.top); }});
}

constexpr const char* decompose_footer = R"(Examples:
  bankfull decompose --cells 512x512x1024 --ranks 90:130 --top 10
  bankfull decompose --cells 256x256x256 --ranks 8,16,32 --reach edges --fields 14
  bankfull decompose --cells 384x384x384 --ranks 1:64 --periodic ijk --json out.json
  bankfull decompose --cells 512x512x1024 --ranks 2:64 --cut ij --reach edges --fields 4 \
      --precision fp64                          convection by multigrid on CPUs; else: --cut i

Columns; rows are sorted by what the busiest rank sends:
  grid             the factors with the least communication, which the workloads use.
                   A cell on a face across k counts as the 32-byte memory sector that it takes
  sends, messages  by the busiest rank in one exchange of all fields
  cells per rank   minimum..maximum along i, j and k
  over mean        by how much the largest block exceeds the mean
  balance          of the grid's three factors: (max/min)(mid/min), 1 is best (Phillips and
                   Fatica, 2014)
  most balanced    the factors closest to a cube, and their balance)";

void add_halo_options(CLI::App& command, DecomposeOptions& options) {
  add_number(command, "--halo-width", options.halo_width,
             "layers of ghost cells to exchange, 1 to 16", {.least = 1.0, .most = widest_halo})
      ->capture_default_str();
  with_environment(command
                       .add_option("--reach", options.reach,
                                   "neighbours to exchange with: faces, edges or corners; each "
                                   "includes those before it")
                       ->capture_default_str());
  offer(command, "--reach", {"faces", "edges", "corners"});
  add_number(command, "--fields", options.fields, "number of fields per exchange",
             {.least = 1.0, .most = max_fields})
      ->capture_default_str();
  with_environment(
      command.add_option("--precision", options.precision, "fp32 or fp64")->capture_default_str());
  offer(command, "--precision", precision_names.names());
  with_environment(command
                       .add_option("--periodic", options.periodic,
                                   "axes that wrap around: none, i, j, k, ij, ..., ijk")
                       ->capture_default_str());
  with_environment(
      command.add_option("--cut", options.cut, "axes that may be cut: i, j, k, ij, ..., ijk")
          ->capture_default_str());
}

}  // namespace

void add_decompose_command(CLI::App& program, const Communicator& ranks, Action& action) {
  auto options = std::make_shared<DecomposeOptions>();
  CLI::App* command = program.add_subcommand(
      "decompose", "Compares numbers of ranks: how they split a grid and what they exchange");
  command->footer(decompose_footer);
  with_environment(
      command->add_option("--cells", options->cells, "cells of the whole grid, IxJxK")->required());
  with_environment(command
                       ->add_option("--ranks", options->ranks,
                                    "numbers of ranks: N, A:B, or several with commas")
                       ->required());
  add_halo_options(*command, *options);
  add_number(*command, "--top", options->top, "show only the best N rows",
             {.least = 1.0, .most = max_rows});
  add_json_option(*command, options->json);
  command->callback([&action, &ranks, options] {
    action = [&ranks, options] { return run_decompose(*options, ranks); };
  });
}

}  // namespace bankfull
