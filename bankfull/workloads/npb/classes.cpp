#include "bankfull/workloads/npb/classes.hpp"

#include "bankfull/core/base/enum_names.hpp"

namespace bankfull::npb {
namespace {

constexpr auto kernel_names = enum_names<Kernel>({
    {Kernel::cg, "cg"},
    {Kernel::ep, "ep"},
    {Kernel::ft, "ft"},
    {Kernel::is, "is"},
    {Kernel::mg, "mg"},
});

constexpr auto class_names = enum_names<Class>({
    {Class::s, "S"},
    {Class::w, "W"},
    {Class::a, "A"},
    {Class::b, "B"},
    {Class::c, "C"},
    {Class::d, "D"},
    {Class::e, "E"},
});

template <class T>
using PerClass = std::array<T, all_classes.size()>;

template <class T>
const T& row_of(const PerClass<T>& table, Class size) {
  return table[static_cast<std::size_t>(size)];
}

/// The two keys that an iteration changes are its number and the largest key less its number. A
/// small test key gains one smaller key per iteration, a large one loses one.
struct RankDrift {
  std::array<int, is_tests> sign;
  int first_gain;  ///< of iteration 0
  int first_loss;
};

/// How ranks of a class move from an iteration to the next, as NPB's partial verification has it.
const RankDrift& rank_drift(Class size) {
  static constexpr PerClass<RankDrift> table{{
      {{+1, +1, +1, -1, -1}, 0, 0},
      {{+1, +1, -1, -1, -1}, -2, 0},
      {{+1, +1, +1, -1, -1}, -1, -1},
      {{-1, +1, +1, -1, +1}, 0, 0},
      {{+1, +1, +1, -1, -1}, 0, 0},
      {{+1, +1, -1, -1, -1}, 0, 0},
      {{+1, +1, +1, -1, -1}, -2, -2},
  }};
  return row_of(table, size);
}

}  // namespace

std::string to_string(Kernel kernel) { return kernel_names.to_string(kernel); }
std::string to_string(Class size) { return class_names.to_string(size); }

std::vector<Kernel> parse_kernels(const std::string& text) {
  if (text == "all") {
    return {all_kernels.begin(), all_kernels.end()};
  }
  return {kernel_names.parse(text, "npb " + text + " is not a kernel", {"all"})};
}

Class parse_class(const std::string& text) {
  return class_names.parse(text, "--class " + text + " is not a class");
}

const CgParameters& cg_parameters(Class size) {
  // The numbers of nonzeros are ours: counts of the generated matrix.
  static constexpr PerClass<CgParameters> table{{
      {1400, 7, 15, 10.0, 8.5971775078648, 78148},
      {7000, 8, 15, 12.0, 10.362595087124, 508402},
      {14000, 11, 15, 20.0, 17.130235054029, 1853104},
      {75000, 13, 75, 60.0, 22.712745482631, 13708072},
      {150000, 15, 75, 110.0, 28.973605592845, 36121058},
      {1500000, 21, 100, 500.0, 52.514532105794, 694392620},
      {9000000, 26, 100, 1500.0, 77.522164599383, 6570000000},
  }};
  return row_of(table, size);
}

const EpParameters& ep_parameters(Class size) {
  static constexpr PerClass<EpParameters> table{{
      {24,
       {-3.247834652034740e+3, -6.958407078382297e+3},
       {1.051299420395306e+7, 1.051517131857535e+7},
       13176389},
      {25,
       {-2.863319731645753e+3, -6.320053679109499e+3},
       {2.102505525182392e+7, 2.103162209578822e+7},
       26354769},
      {28,
       {-4.295875165629892e+3, -1.580732573678431e+4},
       {1.682235632304711e+8, 1.682195123368299e+8},
       210832767},
      {30,
       {4.033815542441498e+4, -2.660669192809235e+4},
       {6.728927543423024e+8, 6.728951822504275e+8},
       843345606},
      {32,
       {4.764367927995374e+4, -8.084072988043731e+4},
       {2.691444083862931e+9, 2.691519118724585e+9},
       3373275903},
      {36,
       {1.982481200946593e+5, -1.020596636361769e+5},
       {4.306350280812112e+10, 4.306347571859157e+10},
       53972171957},
      {40,
       {-5.319717441530e+5, -3.688834557731e+5},
       {6.890169663167274e+11, 6.890164670688535e+11},
       863554308186},
  }};
  return row_of(table, size);
}

const FtParameters& ft_parameters(Class size) {
  static constexpr PerClass<FtParameters> table{{
      {64, 64, 64, 6},
      {128, 128, 32, 6},
      {256, 256, 128, 6},
      {512, 256, 256, 20},
      {512, 512, 512, 20},
      {2048, 1024, 1024, 25},
      {4096, 2048, 2048, 25},
  }};
  return row_of(table, size);
}

const IsParameters& is_parameters(Class size) {
  static constexpr PerClass<IsParameters> table{{
      {16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}},
      {20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}},
      {23,
       19,
       {2112377, 662041, 5336171, 3642833, 4250760},
       {104, 17523, 123928, 8288932, 8388264}},
      {25,
       21,
       {41869, 812306, 5102857, 18232239, 26860214},
       {33422937, 10244, 59149, 33135281, 99}},
      {27,
       23,
       {44172927, 72999161, 74326391, 129606274, 21736814},
       {61147, 882988, 266290, 133997595, 133525895}},
      {31,
       27,
       {1317351170, 995930646, 1157283250, 1503301535, 1453734525},
       {1, 36538729, 1978098519, 2145192618, 2147425337}},
      {35,
       31,
       {21492309536, 24606226181, 12608530949, 4065943607, 3324513396},
       {3, 27580354, 3248475153, 30048754302, 31485259697}},
  }};
  return row_of(table, size);
}

std::int64_t expected_rank(Class size, int test, int iteration) {
  const auto n = static_cast<std::size_t>(test);
  const RankDrift& drift = rank_drift(size);
  const int first = drift.sign[n] > 0 ? drift.first_gain : drift.first_loss;
  std::int64_t rank =
      is_parameters(size).ranks[n] + std::int64_t{drift.sign[n]} * (first + iteration);
  if (size == Class::e && test == 2) {
    // Keys that iterations 3 and 5 overwrite were smaller than this one.
    rank -= iteration > 4 ? 2 : (iteration > 2 ? 1 : 0);
  }
  return rank;
}

const MgParameters& mg_parameters(Class size) {
  static constexpr PerClass<MgParameters> table{{
      {32, 4, 0.5307707005734e-4},
      {128, 4, 0.6467329375339e-5},
      {256, 4, 0.2433365309069e-5},
      {256, 20, 0.1800564401355e-5},
      {512, 20, 0.5706732285740e-6},
      {1024, 50, 0.1583275060440e-9},
      // From NPB 3.4; NPB 3.3 and ports of it have 0.8157592357404e-10.
      {2048, 50, 0.5630442584711e-10},
  }};
  return row_of(table, size);
}

}  // namespace bankfull::npb
