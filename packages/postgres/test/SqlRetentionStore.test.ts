import { everyDatabase } from "@svc-runtime/test-support/stores/everyStore"
import { suite } from "./RetentionSuite.ts"

everyDatabase(suite, { pglite: 10, postgres: 10 })
