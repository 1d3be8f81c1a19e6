import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as AuditStoreSuite from "./AuditStoreSuite.ts"

everyStore(AuditStoreSuite.suite, { postgres: 2 })
