import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as BackgroundTaskStoreSuite from "./BackgroundTaskStoreSuite.ts"

everyStore(BackgroundTaskStoreSuite.suite)
