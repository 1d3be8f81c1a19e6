// The store of what is declared in code, for the tests that call all stores.
import type { CheckedStores } from "@svc-runtime/test-support/stores/CheckedStores"
import { Effect } from "effect"
import { DeclarationStore } from "../DeclarationStore.ts"

const calls = Effect.map(DeclarationStore, (declarations) => {
  const declared = { kind: "schedule", name: "nightly", id: "s-1", hash: "a" } as const
  return {
    "declarations.isUsed": declarations.isUsed,
    "declarations.declare": declarations.declare({ node: "one", hash: "a", isAlone: false }),
    "declarations.leave": declarations.leave("one"),
    "declarations.exclusively": declarations.exclusively(Effect.void),
    "declarations.all": declarations.all,
    "declarations.ids": declarations.ids("schedule"),
    "declarations.put": declarations.put(declared),
    "declarations.remove": declarations.remove(declared),
    "declarations.applied": declarations.applied("a")
  }
})

export const stores: CheckedStores = {
  history: { declarations: ["tables", "looks"] },
  tables: ["svc_declarations", "svc_declaration_sets", "svc_declaring_nodes"],
  calls,
  // as many rows as an application declares, and as it has nodes
  small: ["svc_declarations", "svc_declaration_sets", "svc_declaring_nodes"]
}
