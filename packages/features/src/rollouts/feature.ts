// Rollouts: shares of new runs for versions of stored components.
import * as Feature from "../Feature.ts"
import { rollouts as migrations } from "./migrations.ts"
import * as Endpoints from "./RolloutsApi.ts"
import { RolloutStore } from "./RolloutStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly rollouts: typeof RolloutStore
  }
}

export const rollouts = Feature.make({
  name: "rollouts",
  groups: [Endpoints.Rollouts],
  stores: { rollouts: RolloutStore },
  migrations,
  load: () => import("./live.ts")
})
