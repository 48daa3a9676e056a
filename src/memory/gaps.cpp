#include "memory/gaps.hpp"

#include <algorithm>

namespace ew::memory {

void Gaps::update(Index index) {
  Node& node = nodes_[index];
  node.longest = std::max({node.bytes, nodes_[node.left].longest, nodes_[node.right].longest});
}

void Gaps::split(Index tree, u64 begin, Index& below, Index& from) {
  if (!tree) {
    below = from = 0;
    return;
  }
  Index part = 0;
  if (nodes_[tree].begin < begin) {
    split(nodes_[tree].right, begin, part, from);
    nodes_[tree].right = part;
    below = tree;
  } else {
    split(nodes_[tree].left, begin, below, part);
    nodes_[tree].left = part;
    from = tree;
  }
  update(tree);
}

Gaps::Index Gaps::merge(Index left, Index right) {
  if (!left || !right) return left ? left : right;
  if (nodes_[left].priority > nodes_[right].priority) {
    const Index inner = merge(nodes_[left].right, right);
    nodes_[left].right = inner;
    update(left);
    return left;
  }
  const Index inner = merge(left, nodes_[right].left);
  nodes_[right].left = inner;
  update(right);
  return right;
}

Gaps::Index Gaps::make(u64 begin, u64 bytes) {
  Index index = static_cast<Index>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  nodes_[index] = {begin, bytes, bytes, static_cast<u32>((begin * 0x9e37'79b9'7f4a'7c15) >> 32)};
  return index;
}

void Gaps::set(u64 begin, u64 bytes) {
  Index below = 0, here = 0, above = 0;
  split(root_, begin, below, above);
  split(above, begin + 1, here, above);
  if (bytes && here) {
    nodes_[here].bytes = bytes;
    update(here);
  } else if (bytes) {
    here = make(begin, bytes);
  } else if (here) {
    unused_.push_back(here);
    here = 0;
  }
  root_ = merge(merge(below, here), above);
}

Gaps::Index Gaps::find(Index tree, u64 bytes, u64 from) const {
  if (!tree || nodes_[tree].longest < bytes) return 0;
  if (nodes_[tree].begin >= from) {
    if (const Index found = find(nodes_[tree].left, bytes, from)) return found;
    if (nodes_[tree].bytes >= bytes) return tree;
  }
  return find(nodes_[tree].right, bytes, from);
}

Gaps::Gap Gaps::first(u64 bytes, u64 from) const {
  const Index found = find(root_, std::max<u64>(bytes, 1), from);
  return {nodes_[found].begin, nodes_[found].bytes};
}

void Gaps::clear() {
  nodes_.assign(1, {});
  unused_.clear();
  root_ = 0;
}

}  // namespace ew::memory
