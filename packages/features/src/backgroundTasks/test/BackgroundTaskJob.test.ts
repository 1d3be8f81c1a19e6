// What the job of a task does on a node that is not like the others.
import { assert, describe, it } from "@effect/vitest"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import { ComponentNotFound } from "@svc-runtime/agents/runService/RunServiceErrors"
import type { JobContext } from "@svc-runtime/engine/jobs/JobKind"
import { TooManyRuns } from "@svc-runtime/engine/run/RunErrors"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { newRun } from "@svc-runtime/test-support/suites/Samples"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import type * as BackgroundTask from "../BackgroundTask.ts"
import * as BackgroundTaskJob from "../BackgroundTaskJob.ts"
import { BackgroundTaskStore } from "../BackgroundTaskStore.ts"
import * as MemoryBackgroundTaskStore from "../MemoryBackgroundTaskStore.ts"
import { TaskRuns } from "../TaskRuns.ts"
import { jobOf, task } from "./BackgroundTaskStoreSuite.ts"

const limits = { concurrency: 1, perSession: 10, depth: 5, resultBytes: 1000 }

const stores = MemoryBackgroundTaskStore.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(InMemory.JobStore, InMemory.RunStore, InMemory.SessionStore)),
  Layer.provide(MemoryDatabase.layer)
)

const missing = (id: string) => Effect.fail(new ComponentNotFound({ kind: "agent", id }))

/** A task whose job is executed on a node with these runs. */
const opened = Effect.fnUntraced(function*(runs: Partial<RunService["Service"]>) {
  const run = newRun({})
  yield* Effect.flatMap(RunStore, (store) => store.create(run))
  const store = yield* BackgroundTaskStore
  const given = task(run.session_id, { created_at: 0 })
  yield* store.begin(given, jobOf(given), 10)
  const [kind] = yield* Effect.provideService(
    BackgroundTaskJob.kinds,
    TaskRuns,
    TaskRuns.of({ limits, service: Effect.succeed(runs as RunService["Service"]), bind: () => Effect.void })
  )
  const postponed: Array<number> = []
  const context = { postpone: (seconds: number) => Effect.sync(() => void postponed.push(seconds)) } as JobContext
  const { component_id, component_kind, id: task_id, run_id, run_session_id, user_id } = given
  const payload = { task_id, component_kind, component_id, run_id, run_session_id, user_id }
  return {
    postponed,
    execute: kind?.execute(payload, context) ?? Effect.void,
    requestCancel: store.requestCancel({ task_id: given.id, session_id: given.session_id }),
    stored: Effect.map(store.find(given.id), Option.getOrThrow)
  }
})

const answered = {
  start: () => Effect.succeed({}),
  cancel: () => Effect.succeed(true),
  output: () => Effect.succeed({ status: "COMPLETED", content: "Tea is old." })
} as unknown as RunService["Service"]

const startsOnly = (id: string): Partial<RunService["Service"]> => ({
  ...answered,
  start: (request) => request.component.id === id ? answered.start(request) : missing(request.component.id)
})

describe("the job of a background task while the service is busy", () => {
  it.effect("the result waits outside of the attempt, and is not sent once the task is cancelled", () =>
    Effect.gen(function*() {
      let started = 0
      const { execute, postponed, requestCancel, stored } = yield* opened({
        ...answered,
        start: (request) => {
          if (request.component.id === "researcher") return answered.start(request)
          started++
          return Effect.fail(new TooManyRuns())
        }
      })
      yield* execute
      assert.deepStrictEqual([started, postponed], [1, [2]])
      assert.deepInclude(yield* stored, { status: "RUNNING", ended_at: null })
      yield* requestCancel
      yield* execute
      assert.strictEqual(started, 1)
      assert.isNotNull((yield* stored).ended_at)
    }).pipe(Effect.provide(stores)))
})

describe("the job of a background task on a node without its component", () => {
  const cases: ReadonlyArray<
    readonly [
      title: string,
      runs: Partial<RunService["Service"]>,
      status: BackgroundTask.Status,
      left: "2 days" | "31 days",
      isDelivered: boolean
    ]
  > = [
    ["the run of the task is started by another node", startsOnly("assistant"), "PENDING", "2 days", true],
    [
      "the run is awaited by another node",
      { ...answered, output: () => missing("researcher") },
      "RUNNING",
      "31 days",
      true
    ],
    ["the result is sent by another node", startsOnly("researcher"), "RUNNING", "31 days", false]
  ]
  for (const [title, runs, status, left, isDelivered] of cases) {
    it.effect(`${title}, and the task ends if none has the component for long`, () =>
      Effect.gen(function*() {
        const { execute, postponed, stored } = yield* opened(runs)
        yield* execute
        assert.deepInclude(yield* stored, { status, ended_at: null })
        assert.deepStrictEqual(postponed, [2])
        yield* TestClock.adjust("1 hour")
        yield* execute
        assert.deepStrictEqual(postponed, [2, 60])
        yield* TestClock.adjust(left)
        yield* execute
        const ended = yield* stored
        assert.isNotNull(ended.ended_at)
        assert.strictEqual(ended.is_delivered, isDelivered)
      }).pipe(Effect.provide(stores)))
  }
})
