#include "bankfull/workloads/npb/problem.hpp"

#include "bankfull/core/base/enum_names.hpp"

namespace bankfull::npb {
namespace {

constexpr auto schedule_names =
    enum_names<Schedule>({{Schedule::tuned, "tuned"}, {Schedule::reference, "reference"}});

constexpr auto cg_order_names = enum_names<CgOrder>({
    {CgOrder::automatic, "auto"},
    {CgOrder::nasa, "nasa"},
    {CgOrder::chronopoulos_gear, "chronopoulos-gear"},
});

constexpr auto cg_entries_names = enum_names<CgEntries>({
    {CgEntries::automatic, "auto"},
    {CgEntries::upper, "upper"},
    {CgEntries::all, "all"},
});

constexpr auto is_counts_names = enum_names<IsCounts>({
    {IsCounts::automatic, "auto"},
    {IsCounts::values, "values"},
    {IsCounts::buckets, "buckets"},
});

}  // namespace

std::vector<Schedule> all_schedules() { return schedule_names.list(); }

std::string to_string(Schedule schedule) { return schedule_names.to_string(schedule); }

Schedule parse_schedule(const std::string& text) {
  return schedule_names.parse(text, "--schedule " + text + " is unknown");
}

std::vector<CgOrder> all_cg_orders() { return cg_order_names.list(); }

std::string to_string(CgOrder order) { return cg_order_names.to_string(order); }

CgOrder parse_cg_order(const std::string& text) {
  return cg_order_names.parse(text, "--cg " + text + " is unknown");
}

std::vector<CgEntries> all_cg_entries() { return cg_entries_names.list(); }

std::string to_string(CgEntries entries) { return cg_entries_names.to_string(entries); }

CgEntries parse_cg_entries(const std::string& text) {
  return cg_entries_names.parse(text, "--cg-entries " + text + " is unknown");
}

std::vector<IsCounts> all_is_counts() { return is_counts_names.list(); }

std::string to_string(IsCounts counts) { return is_counts_names.to_string(counts); }

IsCounts parse_is_counts(const std::string& text) {
  return is_counts_names.parse(text, "--is-counts " + text + " is unknown");
}

}  // namespace bankfull::npb
