// Skills: instructions that models read when they need them.
import * as Feature from "../Feature.ts"
import { skills as migrations } from "./migrations.ts"
import * as Endpoints from "./SkillsApi.ts"
import { SkillStore } from "./SkillStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly skills: typeof SkillStore
  }
}

export const skills = Feature.make({
  name: "skills",
  groups: [Endpoints.Skills],
  stores: { skills: SkillStore },
  inMemory: () => import("./MemorySkillStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
