// What the feature does in a service that has it.
import { Layer } from "effect"
import * as Feature from "../Feature.ts"
import { Audit } from "./AuditHandlers.ts"
import * as AuditTrail from "./AuditTrail.ts"
import * as SqlAuditStore from "./SqlAuditStore.ts"

export const live = Feature.live({
  handlers: Audit,
  stores: SqlAuditStore.layer,
  requests: (isRecorded: boolean) => isRecorded ? AuditTrail.layer : Layer.empty
})
