// The background job that sends the changes of a task to one address. It waits for the run, and is executed again
// while the task can change. What was delivered is stored after each call, so that a change is sent at least once. It
// reads by the engine of its database: RunService is built on the engines of all databases, and requires a caller.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { followResumes } from "@svc-runtime/engine/signals/followResumes"
import { JobSignal, RunResumeSignal } from "@svc-runtime/engine/signals/Signals"
import { CallSender } from "@svc-runtime/http/calls/CallSender"
import { Secrets } from "@svc-runtime/http/calls/Secrets"
import { stateOf, type StatusUpdate, timestamp } from "@svc-runtime/protocols/a2a/Model"
import * as Tasks from "@svc-runtime/protocols/a2a/Tasks"
import * as V03 from "@svc-runtime/protocols/a2a/V03"
import * as V10 from "@svc-runtime/protocols/a2a/V10"
import { Effect, Option, Schema, Stream } from "effect"
import * as ReceiverPermits from "./ReceiverPermits.ts"
import { opened, type StoredTaskPush } from "./TaskPush.ts"
import * as TaskPushJob from "./TaskPushJob.ts"
import { TaskPushStore } from "./TaskPushStore.ts"

export const Payload = Schema.Struct({ run_id: Run.Id, id: Schema.String })

const shape = { name: "a2a-push", payload: Payload, isOnePerKey: true, maxAttempts: 12, concurrency: 64 } as const

/** How long one execution waits for a run. */
const waiting = "5 minutes"

/** Executions that wait for a run. Others look at theirs again later, so that changes can be sent meanwhile. */
const maxWaiting = 32

/** Seconds until a job is executed again whose secrets cannot be opened. */
const unreadableDelay = 300

const maxPostponed = 10_000

const receivers: ReceiverPermits.Options = { permits: 8, maxWaiting: 16, timeout: "5 seconds" }

/** Seconds until the next check of a run. */
const delayOf = (seconds: number): number => Math.min(60, Math.max(2, Math.ceil(seconds)))

/** The same for a paused run, whose jobs are due when it resumes: in case a node was killed before that. */
const pausedDelayOf = (age: number): number => Math.min(600, Math.max(2, Math.ceil(age / 10)))

export class NotDelivered extends Schema.TaggedError<NotDelivered>()("NotDelivered", {
  message: Schema.String,
  retryAfter: Schema.Finite
}) {}

/** Requests enqueue it, and the workers of the database of the run execute it. */
export const enqueued = JobKind.withoutHandler(shape)

const headersOf = ({ credentials, scheme, token }: StoredTaskPush): Readonly<Record<string, string>> => ({
  ...(scheme === null ? {} : { authorization: credentials === null ? scheme : `${scheme} ${credentials}` }),
  ...(token === null ? {} : { "x-a2a-notification-token": token })
})

export const kind = Effect.gen(function*() {
  const [store, engine, sender] = [yield* TaskPushStore, yield* RunEngine, yield* CallSender]
  const [newId, secrets] = [yield* NewId, yield* Secrets]
  let waitingCount = 0
  /** Jobs that check again later: the more there are, the later. */
  const postponed = new Set<string>()
  const { withPermit } = ReceiverPermits.make(receivers)

  const handle = Effect.fnUntraced(
    function*({ id, run_id }: typeof Payload.Type, { guard, postpone }: JobKind.JobContext) {
      const find = Effect.map(store.list(run_id, Owner.anyone), (all) => all.find((push) => push.id === id))

      /** Sends a change unless it was the last one. */
      const deliver = Effect.fnUntraced(function*(change: string, update: StatusUpdate) {
        const push = yield* find
        if (push === undefined || push.delivered === change) return
        const headers = headersOf(yield* opened(secrets, push))
        const { item } = push.version === "1.0" ? V10.wire : V03.wire
        const { error, isSuccess, retryAfter } = yield* guard(Effect.flatMap(now, (at) =>
          sender.send({
            url: push.url,
            id: newId(),
            at,
            body: JSON.stringify(item({ statusUpdate: update })),
            secrets: [],
            headers
          }))).pipe(withPermit(push.url))
        if (!isSuccess) return yield* new NotDelivered({ message: error ?? "The call failed", retryAfter })
        yield* store.delivered(push, change)
      })

      const push = yield* find
      if (push === undefined) return
      const { session_id } = push
      const request = { run_id, session_id, filter: { owner: Owner.anyone } }
      const watch = engine.watch({ ...request, after: -1 })
      /** The last event of a failed run has the type of its error, which tells a rejected task. */
      const withLastEvent = Effect.fnUntraced(function*(run: AnyRun.Output, count: number) {
        if (run.status !== "ERROR") return run
        const last = yield* engine.watch({ ...request, after: count - 2 })
        if (Option.isNone(last)) return run
        const events = yield* Stream.runCollect(last.value.events)
        return { ...run, events: events.map((event) => Json.of(event)) }
      })
      const first = yield* watch
      if (Option.isNone(first)) return
      const ids = { taskId: run_id, contextId: session_id }
      if (Run.isActive(first.value.status)) {
        const state = stateOf("RUNNING")
        const at = yield* now
        yield* deliver("RUNNING", { ...ids, status: { state, timestamp: timestamp(at * 1000) } })
      }
      const place = `${run_id} ${id}`
      if (Run.isActive(first.value.status) && waitingCount >= maxWaiting) {
        // jobs that other nodes have executed since stay in the set
        if (postponed.size >= maxPostponed) postponed.clear()
        postponed.add(place)
        return yield* postpone(delayOf(postponed.size / maxWaiting))
      }
      postponed.delete(place)
      const output = yield* Effect.acquireUseRelease(
        Effect.sync(() => void waitingCount++),
        () => Effect.timeoutOption(engine.output(request), waiting),
        () => Effect.sync(() => void waitingCount--)
      )
      if (Option.isNone(output)) return yield* postpone(0)
      if (Option.isNone(output.value)) return
      const run = output.value.value
      const last = yield* watch
      const count = Option.match(last, { onNone: () => 0, onSome: (watched) => watched.count })
      const ended = yield* withLastEvent(run, count)
      const { status } = Tasks.of({ run: ended, metadata: null, updated_at: yield* now }, { hasArtifacts: false })
      yield* deliver(`${run.status} ${count}`, { ...ids, status })
      if (run.status !== "PAUSED") return
      // it can have resumed before this job waits
      const isResumed = Option.exists(yield* watch, ({ status }) => status !== "PAUSED")
      yield* postpone(isResumed ? 0 : pausedDelayOf((yield* now) - run.created_at))
    },
    (handled, _, { postpone }) =>
      Effect.catchTags(handled, {
        ReceiverBusy: () => postpone(delayOf(0)),
        SecretUnreadable: () => postpone(unreadableDelay)
      })
  )

  return JobKind.make({ ...shape, timeout: "10 minutes", handle })
})

/** Makes the jobs of a run due when it resumes, on any protocol. */
export const enqueueOnResumes = Effect.gen(function*() {
  const [store, jobs, resumes, signal] = [
    yield* TaskPushStore,
    yield* JobStore,
    yield* RunResumeSignal,
    yield* JobSignal
  ]
  yield* followResumes(
    "a2aPushes",
    resumes,
    Effect.fnUntraced(function*(run: Run.Id) {
      const pushes = yield* store.list(run, Owner.anyone)
      for (const push of pushes) {
        yield* Effect.catchTag(TaskPushJob.enqueueOrHasten(jobs, enqueued, push), "JobInvalid", Effect.die)
      }
      if (pushes.length > 0) signal.notify()
    })
  )
})
