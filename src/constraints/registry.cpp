#include "constraints/registry.h"

namespace pliant {

#define PLIANT_CONSTRAINT(name, Type, header) const TypeInfo& type_##name();
#include "constraints/list.h"
#undef PLIANT_CONSTRAINT

std::span<const TypeInfo* const> registered_types() {
  static const TypeInfo* const kTypes[] = {
#define PLIANT_CONSTRAINT(name, Type, header) &type_##name(),
#include "constraints/list.h"
#undef PLIANT_CONSTRAINT
  };
  return kTypes;
}

const TypeInfo* find_type(std::string_view name) {
  for (const TypeInfo* type : registered_types()) {
    if (type->name == name) return type;
  }
  return nullptr;
}

}  // namespace pliant
