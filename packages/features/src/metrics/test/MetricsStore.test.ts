import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as MetricsStoreSuite from "./MetricsStoreSuite.ts"

everyStore(MetricsStoreSuite.suite)
