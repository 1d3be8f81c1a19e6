// The audit log: who changed what.
import { flagOr } from "@svc-runtime/http/config/ConfigReaders"
import * as Feature from "../Feature.ts"
import * as Endpoints from "./AuditApi.ts"
import { AuditStore } from "./AuditStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly audit: typeof AuditStore
  }
}

export const audit = Feature.make({
  name: "audit",
  groups: [Endpoints.Audit],
  settings: flagOr("AUDIT", true),
  stores: { audit: AuditStore },
  inMemory: () => import("./MemoryAuditStore.ts"),
  load: () => import("./live.ts")
})
