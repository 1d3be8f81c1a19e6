import * as IdempotencyStoreSuite from "@svc-runtime/test-support/suites/IdempotencyStoreSuite"
import { IdempotencyStore } from "../../src/idempotency/IdempotencyStore.ts"

IdempotencyStoreSuite.suite("in memory", IdempotencyStore.layerMemory)
