// The files of sessions, and commands on them.
import * as Feature from "../Feature.ts"
import { workspace as migrations } from "./migrations.ts"
import * as Endpoints from "./WorkspaceApi.ts"
import { WorkspaceStore } from "./WorkspaceStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly workspaces: typeof WorkspaceStore
  }
}

export const workspace = Feature.make({
  name: "workspace",
  groups: [Endpoints.Workspace],
  stores: { workspaces: WorkspaceStore },
  inMemory: () => import("./MemoryWorkspaceStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
