import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as BudgetStoreSuite from "./BudgetStoreSuite.ts"

everyStore(BudgetStoreSuite.suite, { postgres: 2 })
