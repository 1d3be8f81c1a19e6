// Roles: named sets of scopes that requests create and change.
import * as Feature from "../Feature.ts"
import { roles as migrations } from "./migrations.ts"
import * as Endpoints from "./RolesApi.ts"
import { RoleStore } from "./RoleStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly roles: typeof RoleStore
  }
}

export const roles = Feature.make({
  name: "roles",
  groups: [Endpoints.Roles],
  stores: { roles: RoleStore },
  inMemory: () => import("./MemoryRoleStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
