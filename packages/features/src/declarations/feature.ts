// What the code of an application declares and the service stores: schedules, webhooks, datasets, service accounts and
// folders of knowledge.
import * as Feature from "../Feature.ts"
import { DeclarationStore } from "./DeclarationStore.ts"
import type * as DeclaredAccounts from "./DeclaredAccounts.ts"
import * as DeclaredOption from "./DeclaredOption.ts"
import { declarations as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly declarations: typeof DeclarationStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Callers that are programs, with tokens of your own. */
    readonly serviceAccounts?: ReadonlyArray<DeclaredAccounts.Declaration> | undefined
  }
}

export const declarations = Feature.make({
  name: "declarations",
  groups: [],
  declared: DeclaredOption.make("serviceAccounts", {
    label: "The service account",
    kinds: { name: "text", token: "any", scopes: "list" }
  }),
  stores: { declarations: DeclarationStore },
  inMemory: () => import("./MemoryDeclarationStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
