#include "oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ew::coherence {

Oracle::Oracle(u64 data, u32 bytes, bool exact, bool by_word)
    : counters(bytes / 4),
      data_(data),
      bytes_(bytes),
      exact_(exact),
      by_word_(by_word),
      shadow_(bytes),
      history_(bytes) {
  records_[0].entered = 0;
  for (auto& changes : history_) changes.push_back({0, 0});
  for (u32 agent = 0; agent < oracle_agents; ++agent) {
    last_[agent].assign(bytes, 0);
    count_[agent].assign(bytes, 1);
    open_[agent].resize(bytes);
    floor_[agent].assign(bytes, 0);
  }
}

void Oracle::store(u32 agent, Operation& operation) {
  operation.first_record = static_cast<u32>(records_.size());
  for (u32 i = 0; i < operation.lanes; ++i) {
    Lane& lane = operation.lane[i];
    for (u32 b = 0; b < lane.size; ++b) {
      const u32 at = lane.at + b;
      lane.bytes[b] = static_cast<u8>(agent << 5 | (count_[agent][at]++ & 31));
      lane.behind[b] = last_[agent][at];
      last_[agent][at] = static_cast<u32>(records_.size());
      open_[agent][at].push_back(last_[agent][at]);
      records_.push_back({lane.bytes[b], at});
    }
  }
}

void Oracle::undo(u32 agent, const Operation& operation) {
  for (u32 i = operation.lanes; i-- > 0;)
    for (u32 b = operation.lane[i].size; b-- > 0;) {
      const u32 at = operation.lane[i].at + b;
      last_[agent][at] = operation.lane[i].behind[b];
      open_[agent][at].pop_back();
      records_.pop_back();
      --count_[agent][at];
    }
}

void Oracle::load(u32 agent, Operation& operation) {
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b)
      operation.lane[i].behind[b] = last_[agent][operation.lane[i].at + b];
}

void Oracle::enter(u32 number) {
  Record& record = records_[number];
  record.entered = now();
  history_[record.at].push_back({record.entered, record.value});
  ++arrivals;
}

/// Older ones were overwritten in the private cache, where nobody else has seen them: they come to the same moment.
bool Oracle::enter_open(u32 agent, u32 at, u8 value) {
  auto& open = open_[agent][at];
  const auto found = std::find_if(open.begin(), open.end(), [&](u32 r) { return records_[r].value == value; });
  if (found == open.end()) return false;
  enter(*found);
  for (auto older = open.begin(); older != found; ++older) records_[*older].entered = records_[*found].entered;
  open.erase(open.begin(), found + 1);
  return true;
}

bool Oracle::performed(u32 agent, u32 at, u8 value) {
  if (!enter_open(agent, at, value)) return false;
  if (reinterpret_cast<const u8*>(data_)[at] == value) shadow_[at] = value;
  return true;
}

void Oracle::performed(u32 agent, const Operation& operation) {
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b)
      if (!performed(agent, operation.lane[i].at + b, operation.lane[i].bytes[b])) {
        error = fmt::format("a store of agent {} to byte {} was performed twice", agent, operation.lane[i].at + b);
        return;
      }
}

/// What the image has new must be a store on its way, of the agent that the byte names.
void Oracle::look() {
  const u8* const image = reinterpret_cast<const u8*>(data_);
  for (u32 at = 0; at < bytes_; at += 64) {
    if (!std::memcmp(image + at, shadow_.data() + at, 64)) continue;
    for (u32 b = at; b < at + 64; ++b) {
      if (image[b] == shadow_[b]) continue;
      const u8 value = shadow_[b] = image[b];
      if (is_counter(b)) continue;
      if (!enter_open(value >> 5, b, value) && !exact_)
        error = fmt::format("the image's byte {} became {:#x}, which nobody is storing", b, value);
    }
  }
}

u8 Oracle::value_at(u32 at, Moment moment) const {
  const auto& changes = history_[at];
  const auto next = std::upper_bound(changes.begin(), changes.end(), moment,
                                     [](Moment m, const Change& change) { return m < change.moment; });
  return std::prev(next)->value;
}

Moment Oracle::next_change(u32 at, Moment moment) const {
  const auto& changes = history_[at];
  const auto next = std::upper_bound(changes.begin(), changes.end(), moment,
                                     [](Moment m, const Change& change) { return m < change.moment; });
  return next == changes.end() ? never_yet : next->moment;
}

/// The last changes of a byte, for reports.
std::string Oracle::history(u32 at) const {
  std::string result;
  const auto& changes = history_[at];
  for (std::size_t i = changes.size() > 12 ? changes.size() - 12 : 0; i < changes.size(); ++i)
    result += fmt::format(" {}:{:#x}", changes[i].moment, changes[i].value);
  return result;
}

/// A load that promises the newest value saw one moment between its issue and its performance, with all of its bytes;
/// any other saw, byte by byte, its agent's own store that nobody else has seen, or a moment since the agent's last
/// acquire. No load sees a moment before its agent's own earlier stores entered, or before what an earlier load saw.
std::string Oracle::check(u32 agent, const Operation& operation, bool current) {
  Moment common = operation.issued;
  for (u32 i = 0; i < operation.lanes; ++i) {
    const Lane& lane = operation.lane[i];
    for (u32 b = 0; b < lane.size; ++b) {
      const u32 at = lane.at + b;
      const Record& own = records_[lane.behind[b]];
      const bool entered = own.entered <= operation.performed;
      if (current) {
        if (!entered) return fmt::format("byte {}: passed the agent's own store of {:#x}", at, own.value);
        common = std::max({common, own.entered, floor_[agent][at]});
        continue;
      }
      if (!entered) {
        if (lane.bytes[b] == own.value) continue;
        return fmt::format("byte {}: {:#x}, but the agent stored {:#x}", at, lane.bytes[b], own.value);
      }
      Moment moment = std::max({operation.acquired, own.entered, floor_[agent][at]});
      while (moment <= operation.performed && value_at(at, moment) != lane.bytes[b]) moment = next_change(at, moment);
      if (moment > operation.performed) {
        return fmt::format(
            "byte {}: {:#x} is older than an acquire ({}), an own store ({:#x} at {}) or an earlier load ({}); issued "
            "{}, "
            "performed {}; history{}",
            at, lane.bytes[b], operation.acquired, own.value, own.entered, floor_[agent][at], operation.issued,
            operation.performed, history(at));
      }
      floor_[agent][at] = moment;
    }
  }
  if (!current) return {};
  if (!by_word_) return check_at_one_moment(agent, operation, common);
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size;) {
      const Lane& lane = operation.lane[i];
      Operation word = operation;
      word.lanes = 1;
      word.lane[0].at = lane.at + b;
      word.lane[0].size = std::min(lane.size - b, word_bytes - (lane.at + b) % word_bytes);
      std::copy_n(lane.bytes.begin() + b, word.lane[0].size, word.lane[0].bytes.begin());
      b += word.lane[0].size;
      if (const std::string wrong = check_at_one_moment(agent, word, common); !wrong.empty()) return wrong;
    }
  return {};
}

/// From `common` on. What the agent sees from now on is at least so new.
std::string Oracle::check_at_one_moment(u32 agent, const Operation& operation, Moment common) {
  const auto all_match = [&](Moment moment, Moment& next) {
    next = never_yet;
    bool match = true;
    for (u32 i = 0; i < operation.lanes; ++i)
      for (u32 b = 0; b < operation.lane[i].size; ++b) {
        match &= value_at(operation.lane[i].at + b, moment) == operation.lane[i].bytes[b];
        next = std::min(next, next_change(operation.lane[i].at + b, moment));
      }
    return match;
  };
  for (Moment moment = common, next; moment <= operation.performed; moment = next)
    if (all_match(moment, next)) {
      for (u32 i = 0; i < operation.lanes; ++i)
        for (u32 b = 0; b < operation.lane[i].size; ++b) floor_[agent][operation.lane[i].at + b] = moment;
      return {};
    }
  std::string histories;
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b)
      histories += fmt::format("\n  byte {}: saw {:#x};{}", operation.lane[i].at + b, operation.lane[i].bytes[b],
                               history(operation.lane[i].at + b));
  return fmt::format("bytes at {}: at no moment from {} to {} were these current{}", operation.lane[0].at, common,
                     operation.performed, histories);
}

std::string Oracle::check_newest(const Operation& operation) const {
  for (u32 i = 0; i < operation.lanes; ++i)
    for (u32 b = 0; b < operation.lane[i].size; ++b) {
      const u32 at = operation.lane[i].at + b;
      if (history_[at].back().value != operation.lane[i].bytes[b])
        return fmt::format("byte {}: an atomic saw {:#x}, the newest is {:#x}", at, operation.lane[i].bytes[b],
                           history_[at].back().value);
    }
  return {};
}

std::vector<u32> Oracle::unseen(u32 agent) {
  std::vector<u32> result;
  for (u32 at = 0; at < bytes_; ++at)
    if (records_[last_[agent][at]].entered == never_yet) result.push_back(last_[agent][at]);
  return result;
}

bool Oracle::seen(const std::vector<u32>& stores) const {
  return std::all_of(stores.begin(), stores.end(), [&](u32 r) { return records_[r].entered != never_yet; });
}

std::string Oracle::check_image() {
  const u8* const image = reinterpret_cast<const u8*>(data_);
  for (u32 at = 0; at < bytes_; ++at) {
    if (is_counter(at)) continue;
    if (image[at] != history_[at].back().value)
      return fmt::format("the image's byte {} is {:#x}, the last store was of {:#x}", at, image[at],
                         history_[at].back().value);
  }
  for (u32 agent = 0; agent < oracle_agents; ++agent)
    if (const auto lost = unseen(agent); !lost.empty())
      return fmt::format("a store of agent {} to byte {} is lost", agent, records_[lost.front()].at);
  for (u32 at = 0; at < bytes_; at += 4) {
    u32 value;
    std::memcpy(&value, image + at, 4);
    if (is_counter(at) && value != counters[at / 4])
      return fmt::format("the counter at {} is {} after {} adds", at, value, counters[at / 4]);
  }
  return {};
}

}  // namespace ew::coherence
