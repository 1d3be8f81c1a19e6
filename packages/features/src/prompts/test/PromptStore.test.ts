import * as MemoryPromptStore from "../MemoryPromptStore.ts"
import * as PromptStoreSuite from "./PromptStoreSuite.ts"

PromptStoreSuite.suite("in memory", MemoryPromptStore.layer)
