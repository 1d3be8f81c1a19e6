import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import * as MetricsStoreSuite from "./MetricsStoreSuite.ts"

MetricsStoreSuite.suite("in memory", InMemory.layer)
