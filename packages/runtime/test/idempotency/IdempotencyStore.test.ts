import * as IdempotencyStoreSuite from "@svc/testing/suites/IdempotencyStoreSuite"
import { IdempotencyStore } from "../../src/idempotency/IdempotencyStore.ts"

IdempotencyStoreSuite.suite("in memory", IdempotencyStore.layerMemory)
