import { everyStore } from "@svc-runtime/test-support/stores/everyStore"
import * as SkillStoreSuite from "./SkillStoreSuite.ts"

everyStore(SkillStoreSuite.suite, { postgres: 2 })
