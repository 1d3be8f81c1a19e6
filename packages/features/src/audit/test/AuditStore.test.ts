import * as MemoryAuditStore from "../MemoryAuditStore.ts"
import * as AuditStoreSuite from "./AuditStoreSuite.ts"

AuditStoreSuite.suite("in memory", MemoryAuditStore.layer)
