import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as UsageStoreSuite from "./UsageStoreSuite.ts"

UsageStoreSuite.suite("in memory", InMemory.layer)
