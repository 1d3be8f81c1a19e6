// What the code of an application declares and the service stores: schedules, webhooks, datasets, service accounts and
// folders of knowledge.
import * as Feature from "../Feature.ts"
import { DeclarationStore } from "./DeclarationStore.ts"
import { declarations as migrations } from "./migrations.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly declarations: typeof DeclarationStore
  }
}

export const declarations = Feature.make({
  name: "declarations",
  groups: [],
  stores: { declarations: DeclarationStore },
  inMemory: () => import("./MemoryDeclarationStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
