import * as MemoryBudgetStore from "../MemoryBudgetStore.ts"
import * as BudgetStoreSuite from "./BudgetStoreSuite.ts"

BudgetStoreSuite.suite("in memory", MemoryBudgetStore.layer)
