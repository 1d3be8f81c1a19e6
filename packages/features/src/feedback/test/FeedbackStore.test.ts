import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as FeedbackStoreSuite from "./FeedbackStoreSuite.ts"

everyStore(FeedbackStoreSuite.suite, { postgres: 2 })
