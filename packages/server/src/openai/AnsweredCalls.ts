// Results of calls that a client sends. The run that waits for them continues. Clients send a request again when its
// response was lost: the same results get the answer that was given to them. Other results begin another run with what
// the run had until its calls.
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { RunQuery, Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import { Errors } from "@svc-runtime/api"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as CallAnswers from "@svc-runtime/protocols/openai/CallAnswers"
import * as CallTurn from "@svc-runtime/protocols/openai/CallTurn"
import type { RunAddress } from "@svc-runtime/protocols/openai/OpaqueId"
import * as PausedRun from "@svc-runtime/protocols/pause/PausedRun"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import type { InputFile } from "@svc-runtime/protocols/run/InputMedia"
import * as RunPieces from "@svc-runtime/protocols/run/RunPieces"
import { Effect, Result, Stream } from "effect"
import { hash } from "node:crypto"
import * as AnsweredRun from "../protocols/AnsweredRun.ts"
import * as BegunOnce from "../protocols/BegunOnce.ts"
import * as ProtocolErrors from "../protocols/ProtocolErrors.ts"
import { badRequest, notFound } from "./openAiErrors.ts"
import * as OpenAiRuns from "./OpenAiRuns.ts"

type Service = RunService["Service"]

/** The paused run of a session that waits for one of these calls. */
export const waitingFor = Effect.fnUntraced(
  function*(service: Service, scoped: Scoped, session_id: string, calls: ReadonlyArray<string>) {
    const query = { ...scoped, session_id }
    const waiting = (yield* toWire(SessionRuns.paused(service, query))).map(PausedRun.of)
    const found = yield* AnsweredRun.find(service, query, waiting, { calls: new Set(calls) })
    return found?.run
  }
)

/** A message of the user behind the results. */
export interface Message {
  readonly text: string
  readonly files: ReadonlyArray<InputFile>
}

export interface Sent<E, R> {
  /** The id of the last call, as the client has it. */
  readonly call: string
  readonly results: ReadonlyArray<CallAnswers.CallResult>
  readonly message: Message | undefined
  readonly user: Ids.UserId | null | undefined
  /** Begins a run with all that the request has. Undefined if it has not the calls of the results. */
  readonly context: Effect.Effect<OpenAiRuns.Answered, E, R> | undefined
  /** The same, once under a key. Undefined if this is not the whole conversation. */
  readonly whole: ((key?: IdempotencyKey) => Effect.Effect<OpenAiRuns.Answered, E, R>) | undefined
  /** Begins a run in the place of the one that had other results, once under a key. */
  readonly beside: (input: OpenAiRuns.Input, key?: IdempotencyKey) => Effect.Effect<OpenAiRuns.Answered, E, R>
}

/** One request for each run, its results and the message behind them. */
const keyOf = (
  { run_id, session_id }: RunAddress,
  { message, results }: Pick<Sent<never, never>, "message" | "results">
) => {
  const sent = results.map(({ media, output, toolCallId }) => [toolCallId, output, media ?? []])
  const key = hash("sha256", JSON.stringify(["openai", session_id, run_id, sent, message ?? null]), "hex")
  return { key, fingerprint: key }
}

const hasFailed = (status: Run.Status): boolean => status === "ERROR" || status === "CANCELLED"

/** What has failed is tried again, also if it is just being cancelled, as by the lost connection of its client. */
const isLost = Effect.fnUntraced(function*(service: Service, query: RunQuery, { status }: AnyRun.Output) {
  return hasFailed(Run.isActive(status) ? yield* toWire(service.refusingStatus(query)) : status)
})

interface Begun {
  /** The index of the first event behind the pause. */
  readonly from: number
  readonly counted: Usage.RunMetrics | undefined
  /** Whether the run has asked for calls since: the response has ended with them, whatever the run did then. */
  readonly isPaused: boolean
}

/** Where the response to results of these calls has begun. Without any: the first one of the run. */
const begunAt = Effect.fnUntraced(function*(service: Service, query: RunQuery, calls: ReadonlySet<string>) {
  const { count, events } = yield* toWire(service.watch({ ...query, partOf: "continue", after: -1 }))
  const pieces = RunPieces.make(query.run_id)
  let found: Begun = { from: 0, counted: undefined, isPaused: false }
  yield* toWire(Stream.runForEach(Stream.take(events, count), (event) =>
    Effect.sync(() => {
      for (const piece of pieces.push(event)) {
        if (piece._tag !== "Paused") continue
        found = piece.questions.some(({ toolCallId }) => calls.has(toolCallId))
          ? { from: event.event_index + 1, counted: piece.usage, isPaused: false }
          : { ...found, isPaused: true }
      }
    })))
  return found
})

/** The answer to the same request. Undefined if there was none, or if it has failed. */
const sentBefore = Effect.fnUntraced(
  function*<E, R>(service: Service, query: RunQuery, run: AnyRun.Output, sent: Sent<E, R>) {
    if (!(yield* toWire(service.wasContinued(query, keyOf(query, sent))))) return undefined
    const { counted, from, isPaused } = yield* begunAt(
      service,
      query,
      new Set(sent.results.map(({ toolCallId }) => toolCallId))
    )
    if (!isPaused && (yield* isLost(service, query, run))) return undefined
    const again = yield* continued(service, query, sent, {})
    if (again._tag === "ContinueRejected") return yield* Errors.conflict(again.message)
    const answered: OpenAiRuns.Answered = { ...again, counted, from }
    return answered
  }
)

const continued = Effect.fnUntraced(function*<E, R>(
  service: Service,
  { caller, component, run_id, session_id }: RunQuery,
  sent: Sent<E, R>,
  decisions: object
) {
  return yield* toWire(ProtocolErrors.orDecided(service.continue({
    caller,
    component,
    run_id,
    session_id,
    user_id: sent.user ?? undefined,
    decisions,
    input: sent.message?.text,
    media: yield* OpenAiRuns.mediaOf(sent.message?.files ?? []),
    fork: undefined,
    stream: true,
    background: false,
    key: keyOf({ run_id, session_id }, sent)
  })))
})

/** It can ask for something else by now. */
const notWaiting = (run: AnyRun.Output, address: RunAddress) => {
  const open = run.status === "PAUSED" ? CallAnswers.openText(Questions.of(run), address) : ""
  return Errors.conflict(
    `The run does not wait for these results any more${open}: send a message of the user to begin another one`
  )
}

/** Whether they are decisions about calls of the service, made or rejected since: one that is late does nothing. */
const isDecided = ({ requirements = [] }: AnyRun.Output, results: ReadonlyArray<CallAnswers.CallResult>): boolean =>
  requirements.some(({ external_execution_result, tool_execution: { external_execution_required, tool_call_id } }) =>
    external_execution_result === undefined && external_execution_required !== true &&
    results.some(({ toolCallId }) => toolCallId === tool_call_id || toolCallId.startsWith(`${tool_call_id}.`))
  )

/** What begins a run with results for which the run does not wait, once under a key. */
const beginningOf = <E, R>(
  run: AnyRun.Output,
  address: RunAddress,
  { beside, message, results, whole }: Sent<E, R>
) => {
  if (AnyRun.isWorkflow(run) || isDecided(run, results)) return notWaiting(run, address)
  if (whole !== undefined) return Effect.succeed(whole)
  const turn = CallTurn.of(run, results)
  if (Result.isFailure(turn)) return ProtocolErrors.rejected(turn.failure)
  const { later, media, text } = turn.success
  // earlier messages have no files
  const behind = message === undefined ? [] : [{ role: "user" as const, content: message.text }]
  const input = { text, media, files: [], earlier: [], later: [...later, ...behind] }
  return Effect.succeed((key?: IdempotencyKey) => beside(input, key))
}

const found = (service: Service, query: RunQuery) =>
  Effect.catchTag(toWire(service.get({ ...query, partOf: "continue" })), "NotFound", () => Effect.undefined)

/** The run does not wait for the results. */
const late = Effect.fnUntraced(
  function*<E, R>(service: Service, query: RunQuery, run: AnyRun.Output, sent: Sent<E, R>) {
    const begin = yield* beginningOf(run, query, sent)
    return yield* BegunOnce.begin(keyOf(query, sent), begin, ({ run_id, session_id }) => {
      const address = { ...query, run_id, session_id }
      return Effect.gen(function*() {
        const begun = yield* found(service, address)
        if (begun === undefined || !(yield* isLost(service, address, begun))) return false
        return !(yield* begunAt(service, address, new Set())).isPaused
      })
    })
  }
)

const ofWorkflow = badRequest(
  "A run of a workflow takes no message: send the results alone, and the message after the response to them"
)

/** Of results without their calls. */
export const noneWaits = (call: string) =>
  notFound(
    "tool_call_not_found",
    `No run of this model waits for a result of the call '${call}': send the message with the call before its result`
  )

/** Continues the run, or finds out what else the results are for. */
export const answer = Effect.fnUntraced(
  function*<E, R>(service: Service, scoped: Scoped, address: RunAddress, sent: Sent<E, R>) {
    const { call, context, message, results, whole } = sent
    const query = {
      ...scoped,
      run_id: Run.Id.make(address.run_id),
      session_id: Session.Id.make(address.session_id)
    }
    const run = yield* found(service, query)
    // deleted, or of another model, as in a handoff: then the results are context
    if (run === undefined) return yield* context ?? noneWaits(call)
    const isMeant = (each: Question) => results.some(({ toolCallId }) => toolCallId === each.toolCallId)
    const questions = run.status === "PAUSED" ? Questions.meantOf(run, isMeant) : []
    if (!questions.some(isMeant)) {
      return (yield* sentBefore(service, query, run, sent)) ?? (yield* late(service, query, run, sent))
    }
    const decisions = CallAnswers.of(questions, results, address)
    if (Result.isFailure(decisions)) {
      const isOpen = message !== undefined && ["missing", "decided"].includes(decisions.failure.reason)
      return yield* isOpen && whole !== undefined ? whole() : ProtocolErrors.rejected(decisions.failure)
    }
    if (message !== undefined && AnyRun.isWorkflow(run)) return yield* whole?.() ?? ofWorkflow
    const { count: from } = yield* toWire(service.watch({ ...query, partOf: "continue", after: -1 }))
    const resumed = yield* continued(service, query, sent, decisions.success)
    if (resumed._tag === "ContinueRejected") {
      return yield* message !== undefined && whole !== undefined ? whole() : Errors.conflict(resumed.message)
    }
    const answered: OpenAiRuns.Answered = { ...resumed, from, counted: AnyRun.usageOf(run) }
    return answered
  }
)
