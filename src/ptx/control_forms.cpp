#include "ptx/control_forms.hpp"

#include <algorithm>

namespace ew::ptx {
namespace {

template <class Value>
u8 number(Value value) {
  return static_cast<u8>(value);
}

Slot list(std::string_view name, std::initializer_list<std::pair<std::string_view, u8>> choices) {
  Slot slot{name, {}};
  for (const auto& [text, value] : choices) slot.choices.push_back({text, value, false});
  return slot;
}

Slot types(std::string_view name, std::initializer_list<std::string_view> names) {
  Slot slot{name, {}};
  for (const auto text : names) slot.choices.push_back({text, number(type_named(text).value()), true});
  return slot;
}

void add_memory_slots(std::vector<Slot>& slots) {
  slots.push_back(list("order_of_load", {{"", number(Order::weak)},
                                         {"weak", number(Order::weak)},
                                         {"relaxed", number(Order::relaxed)},
                                         {"acquire", number(Order::acquire)},
                                         {"volatile", number(Order::is_volatile)}}));
  slots.push_back(list("order_of_store", {{"", number(Order::weak)},
                                          {"weak", number(Order::weak)},
                                          {"relaxed", number(Order::relaxed)},
                                          {"release", number(Order::release)},
                                          {"volatile", number(Order::is_volatile)}}));
  slots.push_back(list("order_of_atomic", {{"", number(Order::relaxed)},
                                           {"relaxed", number(Order::relaxed)},
                                           {"acquire", number(Order::acquire)},
                                           {"release", number(Order::release)},
                                           {"acq_rel", number(Order::acq_rel)}}));
  slots.push_back(
      list("order_of_reduction",
           {{"", number(Order::relaxed)}, {"relaxed", number(Order::relaxed)}, {"release", number(Order::release)}}));
  slots.push_back(list("mmio", {{"", 0}, {"mmio", 1}}));
  slots.push_back(list("scope", {{"", number(Scope::none)},
                                 {"cta", number(Scope::cta)},
                                 {"cluster", number(Scope::cluster)},
                                 {"gpu", number(Scope::gpu)},
                                 {"sys", number(Scope::sys)}}));
  slots.push_back(
      list("membar_scope", {{"cta", number(Scope::cta)}, {"gl", number(Scope::gpu)}, {"sys", number(Scope::sys)}}));
  slots.push_back(list("fence_order", {{"sc", 1}, {"acq_rel", 0}}));
  slots.push_back(list("space", {{"", number(Space::generic)},
                                 {"global", number(Space::global)},
                                 {"shared", number(Space::shared)},
                                 {"shared::cta", number(Space::shared)},
                                 {"local", number(Space::local)},
                                 {"const", number(Space::constant)},
                                 {"param", number(Space::param)},
                                 {"param::entry", number(Space::param)},
                                 {"param::func", number(Space::param)}}));
  slots.push_back(list("atomic_space", {{"", number(Space::generic)},
                                        {"global", number(Space::global)},
                                        {"shared", number(Space::shared)},
                                        {"shared::cta", number(Space::shared)}}));
  slots.push_back(list("address_space", {{"global", number(Space::global)},
                                         {"shared", number(Space::shared)},
                                         {"shared::cta", number(Space::shared)},
                                         {"local", number(Space::local)},
                                         {"const", number(Space::constant)},
                                         {"param", number(Space::param)},
                                         {"param::entry", number(Space::param)}}));
  slots.push_back(
      list("shared_space",
           {{"", number(Space::generic)}, {"shared", number(Space::shared)}, {"shared::cta", number(Space::shared)}}));
  slots.push_back(list("shared_given", {{"shared", 0}, {"shared::cta", 0}}));
  slots.push_back(list("load_cache", {{"", number(CacheHint::none)},
                                      {"ca", number(CacheHint::ca)},
                                      {"cg", number(CacheHint::cg)},
                                      {"cs", number(CacheHint::cs)},
                                      {"lu", number(CacheHint::lu)},
                                      {"cv", number(CacheHint::cv)}}));
  slots.push_back(list("store_cache", {{"", number(CacheHint::none)},
                                       {"wb", number(CacheHint::wb)},
                                       {"cg", number(CacheHint::cg)},
                                       {"cs", number(CacheHint::cs)},
                                       {"wt", number(CacheHint::wt)}}));
  slots.push_back(list("async_cache", {{"ca", number(CacheHint::ca)}, {"cg", number(CacheHint::cg)}}));
  slots.push_back(list("noncoherent", {{"", 0}, {"nc", 1}}));
  slots.push_back(list("l1_eviction", {{"", 0},
                                       {"L1::evict_normal", 0},
                                       {"L1::evict_unchanged", 0},
                                       {"L1::evict_first", 0},
                                       {"L1::evict_last", 0},
                                       {"L1::no_allocate", 0}}));
  slots.push_back(
      list("l2_eviction", {{"", 0}, {"L2::evict_normal", 0}, {"L2::evict_first", 0}, {"L2::evict_last", 0}}));
  slots.push_back(list("l2_hint", {{"", 0}, {"L2::cache_hint", 1}}));
  slots.push_back(list("l2_prefetch", {{"", 0}, {"L2::64B", 0}, {"L2::128B", 0}, {"L2::256B", 0}}));
  slots.push_back(list("prefetch_level", {{"L1", 1}, {"L2", 2}, {"L2::evict_last", 2}, {"L2::evict_normal", 2}}));
  slots.push_back(
      list("prefetch_space",
           {{"", number(Space::generic)}, {"global", number(Space::global)}, {"local", number(Space::local)}}));
  slots.push_back(list("global_space", {{"", number(Space::generic)}, {"global", number(Space::global)}}));
  slots.push_back(
      list("policy_primary",
           {{"L2::evict_last", 0}, {"L2::evict_normal", 0}, {"L2::evict_first", 0}, {"L2::evict_unchanged", 0}}));
  slots.push_back(list("policy_secondary", {{"", 0}, {"L2::evict_first", 0}, {"L2::evict_unchanged", 0}}));
  slots.push_back(list("vector", {{"", 1}, {"v2", 2}, {"v4", 4}}));
  slots.push_back(types("memory_type", {"b8", "b16", "b32", "b64", "b128", "u8", "u16", "u32", "u64", "s8", "s16",
                                        "s32", "s64", "f32", "f64", "f16", "bf16", "f16x2", "bf16x2"}));
  slots.push_back(list("noftz", {{"", 0}, {"noftz", 1}}));
  slots.push_back(
      list("atomic_bits",
           {{"and", number(AtomicOp::bit_and)}, {"or", number(AtomicOp::bit_or)}, {"xor", number(AtomicOp::bit_xor)}}));
  slots.push_back(list("atomic_wrap", {{"inc", number(AtomicOp::inc)}, {"dec", number(AtomicOp::dec)}}));
  slots.push_back(list("atomic_order", {{"min", number(AtomicOp::min)}, {"max", number(AtomicOp::max)}}));
  slots.push_back(types("add_type", {"u32", "s32", "u64", "s64", "f32", "f64", "f16", "f16x2", "bf16", "bf16x2"}));
  slots.push_back(types("order_type", {"u32", "s32", "u64", "s64"}));
  slots.push_back(types("bits_type", {"b32", "b64"}));
  // No .b128 (PTX ISA 8.3, sm_90): memory's atomics have cells of 8 bytes at most.
  slots.push_back(types("exchange_type", {"b32", "b64"}));
  slots.push_back(types("cas_type", {"b16", "b32", "b64"}));
}

void add_warp_slots(std::vector<Slot>& slots) {
  slots.push_back(list("uniform", {{"", 0}, {"uni", 1}}));
  slots.push_back(list("of_cta", {{"", 0}, {"cta", 1}}));
  slots.push_back(list("aligned", {{"", 0}, {"aligned", 1}}));
  slots.push_back(list("barrier_kind", {{"sync", number(BarrierKind::sync)}, {"arrive", number(BarrierKind::arrive)}}));
  slots.push_back(list("barrier_test", {{"and", number(BarrierKind::red_and)}, {"or", number(BarrierKind::red_or)}}));
  slots.push_back(list(
      "vote_kind", {{"all", number(VoteKind::all)}, {"any", number(VoteKind::any)}, {"uni", number(VoteKind::uni)}}));
  slots.push_back(list("sync", {{"", 0}, {"sync", 1}}));
  slots.push_back(list("shuffle_kind", {{"up", number(ShuffleKind::up)},
                                        {"down", number(ShuffleKind::down)},
                                        {"bfly", number(ShuffleKind::bfly)},
                                        {"idx", number(ShuffleKind::idx)}}));
  slots.push_back(list("match_kind", {{"any", 0}, {"all", 1}}));
  slots.push_back(
      list("redux_order",
           {{"add", number(ReduxKind::add)}, {"min", number(ReduxKind::min)}, {"max", number(ReduxKind::max)}}));
  slots.push_back(list(
      "redux_bits",
      {{"and", number(ReduxKind::bit_and)}, {"or", number(ReduxKind::bit_or)}, {"xor", number(ReduxKind::bit_xor)}}));
  slots.push_back(types("redux_type", {"u32", "s32"}));
  slots.push_back(list("noinc", {{"", 0}, {"noinc", 1}}));
  slots.push_back(list("arrive_kind",
                       {{"arrive", number(MbarrierKind::arrive)}, {"arrive_drop", number(MbarrierKind::arrive_drop)}}));
  slots.push_back(
      list("arrive_order",
           {{"", number(Order::release)}, {"release", number(Order::release)}, {"relaxed", number(Order::relaxed)}}));
  slots.push_back(list("wait_kind",
                       {{"test_wait", number(MbarrierKind::test_wait)}, {"try_wait", number(MbarrierKind::try_wait)}}));
  slots.push_back(
      list("wait_order",
           {{"", number(Order::acquire)}, {"acquire", number(Order::acquire)}, {"relaxed", number(Order::relaxed)}}));
  slots.push_back(list("relaxed", {{"", 0}, {"relaxed", 1}}));
  slots.push_back(list("mbarrier_scope",
                       {{"", number(Scope::cta)}, {"cta", number(Scope::cta)}, {"cluster", number(Scope::cluster)}}));
  slots.push_back(list("parity", {{"", 0}, {"parity", 1}}));
}

void add_texture_slots(std::vector<Slot>& slots) {
  slots.push_back(list("texture_level", {{"", 0}, {"level", 1}, {"grad", 2}}));
  slots.push_back(
      list("geometry", {{"1d", 0}, {"2d", 1}, {"3d", 2}, {"a1d", 3}, {"a2d", 4}, {"cube", 5}, {"acube", 6}}));
  slots.push_back(list("gather_geometry", {{"2d", 1}, {"a2d", 4}, {"cube", 5}, {"acube", 6}}));
  slots.push_back(list("surface_geometry", {{"1d", 0}, {"2d", 1}, {"3d", 2}, {"a1d", 3}, {"a2d", 4}}));
  slots.push_back(types("texel_type", {"u32", "s32", "f32"}));
  slots.push_back(types("coordinate_type", {"s32", "f32"}));
  slots.push_back(list("component", {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}}));
  slots.push_back(list("texture_property", {{"width", 0},
                                            {"height", 1},
                                            {"depth", 2},
                                            {"channel_data_type", 3},
                                            {"channel_order", 4},
                                            {"normalized_coords", 5},
                                            {"array_size", 6},
                                            {"num_mipmap_levels", 7}}));
  slots.push_back(list("surface_clamp", {{"trap", 0}, {"clamp", 1}, {"zero", 2}}));
  slots.push_back(types("surface_type", {"b8", "b16", "b32", "b64"}));
}

constexpr ControlRow rows[] = {
    {"bra{uniform}", ControlForm::branch},
    {"brx.idx{uniform}", ControlForm::branch_indexed},
    {"call{uniform}", ControlForm::call},
    {"ret{uniform}", ControlForm::ret},
    {"exit", ControlForm::exit},
    {"trap", ControlForm::trap},
    {"brkpt", ControlForm::breakpoint},
    {"pmevent", ControlForm::nothing},
    {"pmevent.mask", ControlForm::nothing},
    {"griddepcontrol.launch_dependents", ControlForm::nothing},
    {"griddepcontrol.wait", ControlForm::nothing},
    {"nanosleep.u32", ControlForm::nanosleep},
    {"ld{order_of_load}{mmio}{scope}{space}{load_cache}{noncoherent}{l1_eviction}{l2_eviction}{l2_hint}{l2_prefetch}{"
     "vector}"
     "{memory_type}",
     ControlForm::load},
    {"ldu{global_space}{vector}{memory_type}", ControlForm::load},
    {"st{order_of_store}{mmio}{scope}{space}{store_cache}{l1_eviction}{l2_eviction}{l2_hint}{vector}{memory_type}",
     ControlForm::store},
    {"atom{order_of_atomic}{scope}{atomic_space}{atomic_bits}{l2_hint}{bits_type}", ControlForm::atomic},
    {"atom{order_of_atomic}{scope}{atomic_space}.exch{l2_hint}{exchange_type}", ControlForm::atomic},
    {"atom{order_of_atomic}{scope}{atomic_space}.cas{l2_hint}{cas_type}", ControlForm::atomic},
    {"atom{order_of_atomic}{scope}{atomic_space}.add{noftz}{l2_hint}{add_type}", ControlForm::atomic},
    {"atom{order_of_atomic}{scope}{atomic_space}{atomic_wrap}{l2_hint}.u32", ControlForm::atomic},
    {"atom{order_of_atomic}{scope}{atomic_space}{atomic_order}{l2_hint}{order_type}", ControlForm::atomic},
    {"red{order_of_reduction}{scope}{atomic_space}{atomic_bits}{l2_hint}{bits_type}", ControlForm::reduction},
    {"red{order_of_reduction}{scope}{atomic_space}.add{noftz}{l2_hint}{add_type}", ControlForm::reduction},
    {"red{order_of_reduction}{scope}{atomic_space}{atomic_wrap}{l2_hint}.u32", ControlForm::reduction},
    {"red{order_of_reduction}{scope}{atomic_space}{atomic_order}{l2_hint}{order_type}", ControlForm::reduction},
    {"prefetch{prefetch_space}{prefetch_level}", ControlForm::prefetch},
    {"prefetchu.L1", ControlForm::prefetch},
    {"discard{global_space}.L2", ControlForm::prefetch},
    {"applypriority{global_space}.L2::evict_normal", ControlForm::prefetch},
    {"createpolicy.fractional{policy_primary}{policy_secondary}.b64", ControlForm::cache_policy},
    {"cp.async{async_cache}{shared_given}.global{l2_hint}{l2_prefetch}", ControlForm::async_copy},
    {"cp.async.commit_group", ControlForm::async_commit},
    {"cp.async.wait_group", ControlForm::async_wait},
    {"cp.async.wait_all", ControlForm::async_wait_all},
    {"cp.async.mbarrier.arrive{noinc}{shared_space}.b64", ControlForm::async_arrive},
    {"fence{fence_order}{scope}", ControlForm::fence},
    {"fence{scope}", ControlForm::fence},
    {"membar{membar_scope}", ControlForm::membar},
    {"isspacep{address_space}", ControlForm::query_space},
    {"cvta{address_space}.u64", ControlForm::convert_address},
    {"cvta.to{address_space}.u64", ControlForm::convert_address},
    {"bar{of_cta}{barrier_kind}", ControlForm::barrier},
    {"barrier{of_cta}{barrier_kind}{aligned}", ControlForm::barrier},
    {"bar{of_cta}.red.popc.u32", ControlForm::barrier_reduce},
    {"bar{of_cta}.red{barrier_test}.pred", ControlForm::barrier_reduce},
    {"barrier{of_cta}.red.popc{aligned}.u32", ControlForm::barrier_reduce},
    {"barrier{of_cta}.red{barrier_test}{aligned}.pred", ControlForm::barrier_reduce},
    {"bar.warp.sync", ControlForm::warp_barrier},
    {"vote{sync}{vote_kind}.pred", ControlForm::vote},
    {"vote{sync}.ballot.b32", ControlForm::vote},
    {"shfl{sync}{shuffle_kind}.b32", ControlForm::shuffle},
    {"match{match_kind}.sync{bits_type}", ControlForm::match},
    {"redux.sync{redux_order}{redux_type}", ControlForm::reduce},
    {"redux.sync{redux_bits}.b32", ControlForm::reduce},
    {"elect.sync", ControlForm::elect},
    {"activemask.b32", ControlForm::active_mask},
    {"mbarrier.init{shared_space}.b64", ControlForm::mbarrier_init},
    {"mbarrier.inval{shared_space}.b64", ControlForm::mbarrier_inval},
    {"mbarrier{arrive_kind}{arrive_order}{mbarrier_scope}{shared_space}.b64", ControlForm::mbarrier_arrive},
    {"mbarrier.arrive.noComplete{arrive_order}{mbarrier_scope}{shared_space}.b64", ControlForm::mbarrier_arrive},
    {"mbarrier.expect_tx{relaxed}{mbarrier_scope}{shared_space}.b64", ControlForm::mbarrier_expect},
    {"mbarrier{wait_kind}{parity}{wait_order}{mbarrier_scope}{shared_space}.b64", ControlForm::mbarrier_wait},
    {"mbarrier.pending_count.b64", ControlForm::mbarrier_pending},
    {"tex{texture_level}{geometry}.v4{texel_type}{coordinate_type}", ControlForm::texture},
    {"tld4{component}{gather_geometry}.v4{texel_type}.f32", ControlForm::gather},
    {"txq{texture_property}.b32", ControlForm::texture_query},
    {"suq{texture_property}.b32", ControlForm::texture_query},
    {"suld.b{surface_geometry}{load_cache}{vector}{surface_type}{surface_clamp}", ControlForm::surface_load},
    {"sust.b{surface_geometry}{store_cache}{vector}{surface_type}{surface_clamp}", ControlForm::surface_store},
};

constexpr RefusedFamily families[] = {
    {"wmma", "", "warp matrix multiply"},
    {"mma", "", "warp matrix multiply"},
    {"wgmma", "", "warp-group matrix multiply"},
    {"ldmatrix", "", "matrix load"},
    {"stmatrix", "", "matrix store"},
    {"movmatrix", "", "matrix transpose"},
    {"tcgen05", "", "tensor memory"},
    {"mapa", "", "thread-block clusters"},
    {"getctarank", "", "thread-block clusters"},
    {"barrier", "cluster", "thread-block clusters"},
    {"multimem", "", "multicast memory"},
    {"cp", "bulk", "bulk asynchronous copies"},
    {"cp", "reduce", "bulk asynchronous copies"},
    {"red", "async", "asynchronous reductions"},
    {"st", "async", "asynchronous stores"},
    {"tensormap", "", "tensor maps"},
    {"fence", "proxy", "proxy fences"},
    {"fence", "mbarrier_init", "thread-block clusters"},
    {"membar", "proxy", "proxy fences"},
    {"setmaxnreg", "", "register reallocation"},
    {"sured", "", "surface reductions"},
    {"istypep", "", "opaque type queries"},
    {"alloca", "", "dynamic stack allocation"},
    {"stacksave", "", "dynamic stack allocation"},
    {"stackrestore", "", "dynamic stack allocation"},
};

}  // namespace

std::vector<Slot> control_slots() {
  std::vector<Slot> slots;
  add_memory_slots(slots);
  add_warp_slots(slots);
  add_texture_slots(slots);
  return slots;
}

std::span<const ControlRow> control_rows() {
  return rows;
}

std::span<const RefusedFamily> refused_families() {
  return families;
}

std::string_view refused_family(std::string_view opcode, std::span<const std::string> modifiers) {
  for (const auto& family : families)
    if (family.opcode == opcode &&
        (family.modifier.empty() || std::find(modifiers.begin(), modifiers.end(), family.modifier) != modifiers.end()))
      return family.what;
  return {};
}

}  // namespace ew::ptx
