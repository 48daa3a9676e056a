// PTX ISA, memory consistency model. Weak and relaxed operations wait for nothing: an access to the same bytes by the
// same thread is performed in program order by the private cache (the model's coherence and causality axioms ask for no
// more). A release pattern is an st.release, an atomic with release, or a fence before a strong write; what precedes it
// must be performed and its stores visible at its scope. An acquire pattern is an ld.acquire, an atomic with acquire,
// or a fence behind a strong read; what follows waits until its value is there. A barrier orders as a fence at cta
// scope.
#include "consistency/models.hpp"

namespace ew::consistency {

using memory::OrderClass;
using memory::Reached;

memory::Consistency ptx() {
  memory::Consistency model;
  model.name = "ptx";
  model.sentence = "The PTX ISA's memory model: acquire, release and fences at their scopes order; nothing else does.";
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
  return model;
}

}  // namespace ew::consistency
