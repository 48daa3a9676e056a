// The tables of the models that promise sequential consistency to programs without data races.
#pragma once

#include "memory/consistency.hpp"

namespace ew::consistency {

/// Program order (thesis, section 2.4): an acquire is over before data behind it, data before a release, and one
/// synchronisation before the next. Every strong access synchronises.
inline memory::Consistency sequential_synchronisation() {
  using memory::OrderClass;
  using memory::Reached;
  memory::Consistency model;
  model.all_synchronise = true;
  for (const OrderClass weak : {OrderClass::weak_load, OrderClass::weak_store})
    model.classes[static_cast<u32>(weak)].strong = false;
  const auto wait = [&](OrderClass older, OrderClass younger, Reached what) {
    model.wait[static_cast<u32>(older)][static_cast<u32>(younger)] = what;
  };
  for (u32 i = 0; i < memory::order_classes; ++i) {
    const auto any = static_cast<OrderClass>(i);
    for (const OrderClass acquiring : {OrderClass::acquire, OrderClass::paired_atomic, OrderClass::p_acquire})
      wait(acquiring, any, Reached::performed);
    for (const OrderClass releasing : {OrderClass::release, OrderClass::paired_atomic, OrderClass::fence})
      wait(any, releasing, Reached::visible);
  }
  wait(OrderClass::release, OrderClass::acquire, Reached::visible);
  return model;
}

}  // namespace ew::consistency
