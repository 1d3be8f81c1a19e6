// Changes of tasks that are sent to clients of A2A.
import * as Feature from "../Feature.ts"
import { taskPushes as migrations } from "./migrations.ts"
import { TaskPushStore } from "./TaskPushStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly taskPushes: typeof TaskPushStore
  }
}

export const taskPush = Feature.make({
  name: "taskPush",
  groups: [],
  stores: { taskPushes: TaskPushStore },
  migrations,
  load: () => import("./live.ts")
})
