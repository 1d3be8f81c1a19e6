// Starts and continues the runs of tasks, for all wires.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import type { StartRequest } from "@svc-runtime/agents/runService/StartRequest"
import type { RepeatedRun } from "@svc-runtime/agents/runService/StoredRun"
import * as WaitingRun from "@svc-runtime/agents/runService/WaitingRun"
import { CurrentPrincipal } from "@svc-runtime/api"
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Media from "@svc-runtime/domain/Media"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import { NewId } from "@svc-runtime/engine/NewId"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import type { FoundRun } from "@svc-runtime/engine/run/store/RunReads"
import * as Uploads from "@svc-runtime/http/forms/Uploads"
import { callerOf } from "@svc-runtime/http/idempotency/IdempotencyKey"
import * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import type { Message, Part } from "@svc-runtime/protocols/a2a/Model"
import type { Sending } from "@svc-runtime/protocols/a2a/Operation"
import * as Origin from "@svc-runtime/protocols/a2a/Origin"
import * as TaskAnswers from "@svc-runtime/protocols/a2a/TaskAnswers"
import * as InputMedia from "@svc-runtime/protocols/run/InputMedia"
import { Effect, type Option, type Stream } from "effect"
import { hash } from "node:crypto"
import { toA2a } from "./failures.ts"
import * as Target from "./Target.ts"
import type { ItemError } from "./TaskItems.ts"
import type { TaskReading } from "./TaskReading.ts"

// The idempotency keys of messages. A message that is sent again, with the same id and content, by the same user, to
// the same component and context, gets the task that it made or continued.

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Whether the id of a message names it. Clients exist that name the messages of many contexts alike, so outside of a
 * context only a UUID counts.
 */
const isUnique = ({ contextId, messageId }: Message): boolean => contextId !== undefined || uuid.test(messageId)

const sha256 = (value: object) => hash("sha256", JSON.stringify(value), "hex")

/**
 * Of a message that begins a task. `carried` is what the run keeps of the message beside its parts. Callers without a
 * name share no messages.
 */
const of = Effect.fnUntraced(function*(
  { id, kind }: ComponentRef,
  { contextId, messageId, parts }: Message,
  carried: Json.Object,
  named: Ids.UserId | undefined
) {
  const caller = callerOf(yield* CurrentPrincipal, named)
  if (caller === undefined) return undefined
  // clients exist that give all of their messages one id: with other content it is another message
  const fingerprint = sha256([parts, carried])
  const key: IdempotencyKey = {
    key: sha256(["a2a", ...caller, kind, id, contextId ?? null, messageId, fingerprint]),
    fingerprint
  }
  return key
})

/** Of a message that answers a question of the task. */
const ofAnswer = (
  component: ComponentRef,
  message: Message,
  { run_id, session_id }: Pick<RunRef, "run_id" | "session_id">,
  named: Ids.UserId | undefined
) => of(component, { ...message, contextId: session_id }, { taskId: run_id }, named)

// The parts of a message as the input of a run: texts and data as its message, and files as its media.
const textOf = (parts: ReadonlyArray<Part>): string =>
  parts.flatMap(({ data, text }) => text !== undefined ? [text] : data !== undefined ? [JSON.stringify(data)] : [])
    .join("\n")

const notBase64 = A2aError.make("INVALID_PARAMS", "The bytes of a file must be base64")

const uploaded = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const files = yield* Effect.forEach(
    parts.filter(({ raw }) => raw !== undefined),
    ({ filename = "", mediaType = "", raw = "" }) =>
      InputMedia.isBase64(raw)
        ? Effect.succeed({ field: "files", name: filename, contentType: mediaType, bytes: Buffer.from(raw, "base64") })
        : Effect.fail(notBase64)
  )
  return yield* Effect.mapError(
    Uploads.toMedia(files, yield* NewId),
    ({ detail }) => A2aError.make("CONTENT_TYPE_NOT_SUPPORTED", detail)
  )
})

const linked = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  const files = parts.flatMap(({ filename, mediaType, url }) => url === undefined ? [] : [{ filename, mediaType, url }])
  return files.every(({ url }) => Media.isWebAddress(url))
    ? InputMedia.of(files)
    : yield* A2aError.make("INVALID_PARAMS", "The address of a file must begin with http:// or https://")
})

const inputOf = Effect.fnUntraced(function*(parts: ReadonlyArray<Part>) {
  return { message: textOf(parts), media: Uploads.merge(yield* uploaded(parts), yield* linked(parts)) }
})

/** A run of a task that executes now. */
export interface TaskRun {
  readonly run: RunRef
  /** How many of the events were there before: a repeated message gets them as its task. */
  readonly before: number
  /** Whether the run executed when they were counted. */
  readonly isActive: boolean
  /** Those of this execution, or of the whole run for a repeated message. */
  readonly events: Stream.Stream<RunEvent.RunEvent, ItemError>
  readonly output: Effect.Effect<Option.Option<AnyRun.Output>, ItemError>
  /** The messages of the user. */
  readonly history: ReadonlyArray<Message>
  readonly metadata: Json.Object
  readonly isContinued: boolean
  /** The message arrived before: this is the task that it made, or continued. */
  readonly isRepeated: boolean
}

/** How the run is executed. */
export interface Mode {
  readonly stream: boolean
  /** A repeated message makes no other task. */
  readonly isOnce: boolean
  /** What a new message of a paused task must pass. */
  readonly check: Effect.Effect<void, A2aError.A2aError>
}

type Given = RunHandle | RepeatedRun

const executing = (given: Given): Pick<TaskRun, "run" | "before" | "isActive" | "events" | "output" | "isRepeated"> => {
  const { run } = given
  if (given._tag === "Repeated") {
    const { output, watched: { count, events, status } } = given
    return { run, before: count, isActive: Run.isActive(status), events, output, isRepeated: true }
  }
  const { events, output } = given
  return { run, before: 0, isActive: true, events, output: Effect.asSome(output), isRepeated: false }
}

const tooLarge = A2aError.make(
  "INVALID_PARAMS",
  `What a message carries beside its parts has at most ${Origin.maximum} characters`
)

export const make = (service: RunService["Service"], tasks: TaskReading) => {
  const start = Effect.fnUntraced(function*(
    { caller, component, request }: Target.Target,
    { message, metadata: requested }: Sending,
    { isOnce, run_id, stream }: Mode & { readonly run_id: string }
  ) {
    const { media, message: text } = yield* inputOf(message.parts)
    const metadata = Origin.begun(message, requested)
    if (Origin.isTooLarge(metadata)) return yield* tooLarge
    const user_id = Target.userOf(request, message.metadata)
    const starting: StartRequest = {
      component,
      caller,
      message: text,
      media,
      run_id,
      session_id: message.contextId,
      user_id,
      factoryInput: FactoryInput.none,
      // its events are stored for later subscribers
      options: { ...RunOptions.defaults, metadata, stream, background: true }
    }
    const key = isOnce && isUnique(message) ? yield* of(component, message, metadata, user_id) : undefined
    const started = yield* toA2a(key === undefined ? service.start(starting) : service.startOnce(starting, key))
    const { run } = started
    const history = [{ ...message, taskId: run.run_id, contextId: run.session_id }]
    const result: TaskRun = { ...executing(started), history, metadata, isContinued: false }
    return result
  })

  /** Of a message that the task got before. */
  const again = Effect.fnUntraced(function*(
    { caller, component }: Target.Target,
    { metadata, run_id, session_id }: FoundRun
  ) {
    const query = { caller, component, partOf: "continue", run_id, session_id } as const
    const { count, events, status } = yield* toA2a(
      Effect.catchTag(service.watch({ ...query, after: -1 }), "SessionIdRequired", Effect.die)
    )
    const run = yield* toA2a(service.get(query))
    const output = Effect.catchTags(service.output(query), {
      ComponentNotFound: Effect.die,
      RunForbidden: Effect.die,
      RunNotFound: Effect.die
    })
    const result: TaskRun = {
      run: { kind: component.kind, run_id, session_id },
      before: count,
      isActive: Run.isActive(status),
      events,
      output: Effect.asSome(output),
      history: TaskAnswers.historyOf(run, metadata ?? {}),
      metadata: metadata ?? {},
      isContinued: true,
      isRepeated: true
    }
    return result
  })

  const resume = Effect.fnUntraced(function*(
    target: Target.Target,
    { message, metadata: requested }: Sending,
    { check, isOnce, stream, taskId }: Mode & { readonly taskId: string }
  ) {
    const { caller, component, request } = target
    const found = yield* tasks.find(target, taskId, "continue")
    const { metadata, run_id, session_id } = found
    if (message.contextId !== undefined && message.contextId !== session_id) {
      return yield* A2aError.make("INVALID_PARAMS", "contextId: the task is in another context")
    }
    if (isOnce && Origin.hasMessage(metadata, message)) return yield* again(target, found)
    const query = { caller, component, run_id, session_id }
    const user_id = Target.userOf(request, message.metadata)
    const key = isOnce ? yield* ofAnswer(component, message, found, user_id) : undefined
    const isRepeated = key === undefined ? Effect.succeed(false) : service.wasContinued(query, key)
    const run = yield* toA2a(
      Effect.catchTag(
        WaitingRun.find(service, query),
        "ContinueRejected",
        (rejected) => Effect.flatMap(isRepeated, (isRepeated) => isRepeated ? Effect.undefined : Effect.fail(rejected))
      )
    )
    // the metadata of a run that executes is still that of its last pause
    if (run === undefined) {
      return yield* again(target, { ...found, metadata: Origin.continued(metadata, message, requested) })
    }
    yield* check
    const answered = yield* Effect.fromResult(TaskAnswers.of(run, { message, metadata, requested }))
    const { decisions, metadata: continued } = answered
    if (Origin.isTooLarge(continued)) return yield* tooLarge
    const resumed = yield* toA2a(service.continue({
      ...query,
      user_id,
      decisions,
      input: undefined,
      metadata: continued,
      fork: undefined,
      stream,
      background: true,
      key
    }))
    const history = TaskAnswers.historyOf(run, continued)
    const result: TaskRun = { ...executing(resumed), history, metadata: continued, isContinued: true }
    return result
  })

  return {
    /** A new id for a task that the message begins. */
    idFor: ({ message }: Sending) =>
      message.taskId === undefined ? Effect.map(NewId, (newId) => newId()) : Effect.succeed(message.taskId),
    execute: (target: Target.Target, sending: Sending, { id, ...mode }: Mode & { readonly id: string }) => {
      const { taskId } = sending.message
      return taskId === undefined
        ? start(target, sending, { ...mode, run_id: id })
        : resume(target, sending, { ...mode, taskId })
    },
    watch: Effect.fnUntraced(function*({ caller, component }: Target.Target, found: FoundRun) {
      const { run_id, session_id, status } = found
      return yield* toA2a(
        Effect.catchTag(
          service.watch({ caller, component, run_id, session_id, after: -1, acrossPauses: status === "PAUSED" }),
          "SessionIdRequired",
          Effect.die
        )
      )
    })
  }
}

export type TaskRuns = ReturnType<typeof make>
