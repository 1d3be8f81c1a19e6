// What the feature does in a service that has it.
import { RunService } from "@svc-runtime/agents/runService/RunService"
import { Effect, Layer } from "effect"
import * as Feature from "../Feature.ts"
import * as BackgroundRunPart from "./BackgroundRunPart.ts"
import * as BackgroundTaskJob from "./BackgroundTaskJob.ts"
import { BackgroundTasks } from "./BackgroundTasksHandlers.ts"
import { BackgroundTaskStore } from "./BackgroundTaskStore.ts"
import * as SqlBackgroundTaskStore from "./SqlBackgroundTaskStore.ts"
import * as TaskCalls from "./TaskCalls.ts"
import { type TaskLimits, TaskRuns } from "./TaskRuns.ts"

const bound = Layer.effectDiscard(Effect.gen(function*() {
  const { bind } = yield* TaskRuns
  yield* bind(yield* RunService)
}))

export const live = Feature.live({
  handlers: BackgroundTasks,
  stores: SqlBackgroundTaskStore.layer,
  service: (limits: TaskLimits) => TaskRuns.layer(limits),
  agents: (_, { isGuest }) => isGuest ? BackgroundRunPart.forGuest : BackgroundRunPart.forAgent,
  jobs: () => BackgroundTaskJob.kinds,
  requests: () => bound,
  endsWithAccount: () =>
    Effect.gen(function*() {
      const store = yield* BackgroundTaskStore
      const runs = yield* RunService
      return {
        what: "background task(s) cancelled",
        end: Effect.fnUntraced(function*({ user_id }) {
          const cancelled = yield* store.requestCancel({ user_id })
          yield* Effect.forEach(cancelled, (task) => TaskCalls.cancel(runs, task), { discard: true })
          return cancelled.length
        })
      }
    })
})
