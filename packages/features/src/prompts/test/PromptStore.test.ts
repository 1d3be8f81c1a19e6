import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as PromptStoreSuite from "./PromptStoreSuite.ts"

everyStore(PromptStoreSuite.suite, { postgres: 2 })
