import * as MemorySkillStore from "../MemorySkillStore.ts"
import * as SkillStoreSuite from "./SkillStoreSuite.ts"

SkillStoreSuite.suite("in memory", MemorySkillStore.layer)
