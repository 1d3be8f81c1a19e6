// Changes of tasks that are sent to clients of A2A.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import { taskPushes as migrations } from "./migrations.ts"
import * as PushJob from "./PushJob.ts"
import { RoutedTaskPushes } from "./RoutedTaskPushes.ts"
import * as SqlTaskPushStore from "./SqlTaskPushStore.ts"
import { TaskPushStore } from "./TaskPushStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly taskPushes: typeof TaskPushStore
  }
}

export const taskPush = Feature.make({
  name: "taskPush",
  groups: [],
  // makes the jobs of a task due when its run resumes
  workers: () => Layer.effectDiscard(PushJob.enqueueOnResumes),
  jobs: () => Effect.map(PushJob.kind, (kind) => [kind]),
  requests: () => RoutedTaskPushes.layer,
  stores: {
    services: { taskPushes: TaskPushStore },
    layer: SqlTaskPushStore.layer
  },
  migrations
})
