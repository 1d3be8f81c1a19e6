// Components that work in the background of a session.
import * as Feature from "../Feature.ts"
import * as Endpoints from "./BackgroundTasksApi.ts"
import { BackgroundTaskStore } from "./BackgroundTaskStore.ts"
import { backgroundTasks as migrations } from "./migrations.ts"
import { taskSettings } from "./TaskRuns.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly backgroundTasks: typeof BackgroundTaskStore
  }
}

export const backgroundTasks = Feature.make({
  name: "backgroundTasks",
  groups: [Endpoints.BackgroundTasks],
  settings: taskSettings,
  stores: { backgroundTasks: BackgroundTaskStore },
  inMemory: () => import("./MemoryBackgroundTaskStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
