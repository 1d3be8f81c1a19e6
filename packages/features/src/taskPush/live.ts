// What the feature does in a service that has it.
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as SecretRows from "../secrets/SecretRows.ts"
import * as PushJob from "./PushJob.ts"
import { RoutedTaskPushes } from "./RoutedTaskPushes.ts"
import * as SqlTaskPushStore from "./SqlTaskPushStore.ts"
import { TaskPushStore } from "./TaskPushStore.ts"

export const live = Feature.live({
  // makes the jobs of a task due when its run resumes
  workers: () => Layer.effectDiscard(PushJob.enqueueOnResumes),
  jobs: () =>
    Effect.zipWith(
      PushJob.kind,
      Effect.flatMap(TaskPushStore, (store) => SecretRows.jobs("a2a-push-secrets", store)),
      (kind, others) => [kind, ...others]
    ),
  requests: () => RoutedTaskPushes.layer,
  stores: SqlTaskPushStore.layer
})
