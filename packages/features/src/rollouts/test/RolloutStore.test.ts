import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as RolloutStoreSuite from "./RolloutStoreSuite.ts"

everyStore(RolloutStoreSuite.suite, { postgres: 2 })
