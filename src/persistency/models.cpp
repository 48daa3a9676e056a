#include "persistency/models.hpp"

#include <array>

namespace ew::persistency {
namespace {

constexpr std::array table{
    Model{"none",
          "Pools are ordinary memory: bytes become durable when the L2 happens to write them back, and no operation "
          "waits for that.",
          make_none,
          {.regions = false},
          "gpm-ddio"},
    Model{"strict",
          "A persist leaves at once, and its warp does nothing until it is durable: every thread's persists become "
          "durable in program order.",
          make_strict,
          {.write_through = true},
          "strict"},
    Model{"gpm",
          "A system-scoped fence sends every dirty line of its SM home and waits until all of them are visible and the "
          "persistent ones durable; nothing else orders persists. ofence() and dfence() are such fences.",
          make_gpm,
          {.regions = false},
          "gpm"},
    Model{"epoch",
          "ofence(), dfence(), pRel, pAcq, every fence, release, acquire and block barrier is an epoch barrier: the "
          "SM's dirty persistent lines leave, the warp waits until they are durable, copies of persistent lines go. A "
          "warp that has accessed none since its last barrier waits for nothing.",
          make_epoch,
          {},
          "epoch"},
    Model{"epoch-artifact",
          "As epoch, with what the SBRP artifact's epoch runs pay besides: no barrier is void, and fences and block "
          "barriers send the volatile dirty lines home, too, and empty the L1.",
          make_epoch_artifact,
          {},
          "epoch"},
    Model{"sbrp",
          "Scoped buffered release persistency: a persist buffer an SM keeps the order of persists per warp; ofence() "
          "and operations of block scope wait for nothing, dfence() and releases at device scope until what is before "
          "them is durable.",
          make_sbrp,
          {.buffered = true},
          "sbrp"},
};

}  // namespace

std::span<const Model> models() {
  return table;
}

const Model* find_model(std::string_view name) {
  for (const Model& model : table)
    if (model.name == name) return &model;
  return nullptr;
}

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const Model& model : table) result.push_back(model.name);
  return result;
}

}  // namespace ew::persistency
