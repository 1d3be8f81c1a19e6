// The requests of a chat. The chat is a session: a user message starts a run after the last answer that the client
// shows, and an answered message continues its paused run. A message that was edited, or that is answered again, begins
// a branch.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { StartRequest } from "@svc-runtime/agents/runService/StartRequest"
import type { RepeatedRun } from "@svc-runtime/agents/runService/StoredRun"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import { Errors } from "@svc-runtime/api"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { RunHandle, RunRef } from "@svc-runtime/engine/run/RunHandle"
import { callerOf } from "@svc-runtime/http/idempotency/IdempotencyKey"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as ChatRequest from "@svc-runtime/protocols/chat/ChatRequest"
import * as ChatStream from "@svc-runtime/protocols/chat/ChatStream"
import * as PausedRun from "@svc-runtime/protocols/pause/PausedRun"
import * as InputMedia from "@svc-runtime/protocols/run/InputMedia"
import { Effect, Option, Predicate, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"
import * as AnsweredRun from "../protocols/AnsweredRun.ts"
import * as BegunOnce from "../protocols/BegunOnce.ts"
import * as PieceStream from "../protocols/PieceStream.ts"
import { decoder, orDecided, rejected } from "../protocols/ProtocolErrors.ts"
import * as RunReplay from "../protocols/RunReplay.ts"

type Service = RunService["Service"]

export interface Target extends Scoped {
  readonly chat_id: string
  /** Whether the client always sends all messages that it shows. */
  readonly isWhole: boolean
}

const headers = { "x-vercel-ai-ui-message-stream": "v1" }

const decode = decoder(ChatRequest.ChatRequest)

const metadataOf = (run: { readonly run_id: string; readonly session_id: string }): Json.Object => ({
  runId: run.run_id,
  sessionId: run.session_id
})

const stream = (
  run: RunHandle | RepeatedRun,
  options: Partial<ChatStream.Options> = { messageId: run.run.run_id }
) =>
  PieceStream.respond({
    run_id: run.run.run_id,
    encoder: ChatStream.make({ messageId: undefined, metadata: metadataOf(run.run), ...options }),
    events: run._tag === "Started" ? run.events : run.watched.events,
    headers
  })

interface Sent {
  readonly target: Target
  readonly request: ChatRequest.ChatRequest
  readonly message: ChatRequest.Message
}

const mediaOf = Effect.fnUntraced(function*(message: ChatRequest.Message) {
  const files = ChatRequest.filesOf(message)
  if (files.every(InputMedia.isUsable)) return InputMedia.of(files)
  return yield* Errors.invalidValue(["body", "messages"], "A file needs an http address or a data URL with base64")
})

const sha256 = (value: Json.Value) => hash("sha256", JSON.stringify(value), "hex")

/** The session of the chat: that of the token, if it is limited to one. */
const sessionOf = ({ request, target: { caller: { principal } } }: Sent): string => principal.session_id ?? request.id

const placeOf = ({ request, target: { isWhole } }: Sent) => ChatRequest.placeOf(request, isWhole)

/**
 * A message that is sent twice at one place, as by a double click, or an edit of one. With other content, or to be
 * answered again, it is another message. Callers without a name share no messages.
 */
const keyOf = (sent: Sent): IdempotencyKey | undefined => {
  const { message: { id, parts }, request: { messageId, trigger, user_id }, target } = sent
  const { caller: { principal }, component } = target
  if (id === undefined || id === "" || trigger === "regenerate-message") return undefined
  const caller = callerOf(principal, user_id)
  if (caller === undefined) return undefined
  const place = placeOf(sent).known.map(({ run_id }) => run_id)
  const fingerprint = sha256(parts)
  const edited = Predicate.isNotNullish(messageId) ? ["edit", messageId] : []
  const values = [
    "chat",
    ...caller,
    component.kind,
    component.id,
    sessionOf(sent),
    id,
    fingerprint,
    ...edited,
    ...place
  ]
  return { key: sha256(values), fingerprint }
}

/** The latest ones of a chat that are looked at. */
const maxFailed = 20

/** Whether its answer does not count: it has failed, or the message was edited since. */
const isGone = Effect.fnUntraced(function*(service: Service, { request, target }: Sent, run: RunRef) {
  const { caller, component } = target
  const query = { ...target, session_id: request.id }
  const failed = yield* toWire(SessionRuns.withStatus(service, query, ["ERROR", "CANCELLED"], maxFailed))
  if (failed.some(({ run_id }) => run_id === run.run_id)) return true
  const { run_id, session_id } = run
  const places = yield* toWire(service.places({ caller, component, partOf: "start", session_id, run_ids: [run_id] }))
  return places.some(({ is_on_path }) => !is_on_path)
})

/**
 * What has not ended, and leaves the path by the run of the message: no one sees its answer or its question any more. A
 * client that sends other messages than it shows names the message that it has edited.
 */
const replacedBy = (service: Service, sent: Sent) => {
  const { request: { id: session_id, messageId, trigger }, target } = sent
  const { isWhole } = target
  const isEdit = Predicate.isNotNullish(messageId) || trigger === "regenerate-message"
  return toWire(SessionRuns.replacedBy(service, { ...target, session_id }, placeOf(sent), { isEdit, isWhole }))
}

const start = Effect.fnUntraced(function*(service: Service, sent: Sent) {
  const { message, request, target } = sent
  const starting: StartRequest = {
    component: target.component,
    caller: target.caller,
    message: ChatRequest.textOf(message),
    media: yield* mediaOf(message),
    session_id: request.id,
    place: placeOf(sent),
    user_id: request.user_id ?? undefined,
    factoryInput: FactoryInput.none,
    options: { ...RunOptions.defaults, stream: true, client_tools: ChatRequest.toolsOf(request) }
  }
  const replaced = yield* replacedBy(service, sent)
  const run = yield* BegunOnce.begin(
    keyOf(sent),
    (key) => toWire(key === undefined ? service.start(starting) : service.startOnce(starting, key)),
    (run) => isGone(service, sent, run)
  )
  if (run._tag === "Started") yield* Effect.ignore(SessionRuns.end(service, target, replaced), { log: true })
  return yield* stream(run)
})

const continuing = ({ request, target: { caller, component } }: Sent, run_id: Run.Id) => ({
  component,
  caller,
  run_id,
  session_id: request.id,
  user_id: request.user_id ?? undefined,
  decisions: {},
  input: undefined,
  fork: undefined,
  stream: true,
  background: false
})

/** The calls whose approvals have decided otherwise are shown again, without the answers of the client. */
const decided = ({ questions, run }: PausedRun.PausedRun, message: string) => {
  const resolved = questions.filter(({ approval }) => approval !== undefined)
  const text = ChatStream.decidedOf({ metadata: metadataOf(run), questions: resolved }, message)
  return Effect.succeed(
    HttpServerResponse.text(text, { contentType: "text/event-stream; charset=utf-8", headers })
  )
}

const nothingWaits = (waiting: ReadonlyArray<PausedRun.PausedRun>) =>
  Errors.conflict(
    `No run of this chat waits for these answers${PausedRun.openText(waiting)}: send a message of the user last`
  )

const answer = Effect.fnUntraced(function*(service: Service, sent: Sent) {
  const { message, request } = sent
  const query = { ...sent.target, session_id: request.id }
  const waiting = (yield* toWire(SessionRuns.paused(service, query))).map(PausedRun.of)
  // the id of an answer is the id of its run, unless the client has given it another one
  const calls = ChatRequest.callsIn(message)
  const found = yield* AnsweredRun.find(service, query, waiting, { calls, named: message.id ?? undefined })
  if (found === undefined) return yield* nothingWaits(waiting)
  const paused = PausedRun.answered(found, ChatRequest.isAnsweredIn(message, request))
  const { questions, run } = paused
  const answers = ChatRequest.answersIn(message, questions, request)
  if (Result.isFailure(answers)) {
    const { failure } = answers
    return yield* failure.reason === "decided" ? decided(paused, failure.message) : rejected(failure)
  }
  const { decisions, edited, rejected: results } = answers.success
  const continued = yield* toWire(orDecided(service.continue({ ...continuing(sent, run.run_id), decisions })))
  if (continued._tag === "ContinueRejected") return yield* decided(paused, continued.message)
  return yield* stream(continued, {
    known: PausedRun.shownCalls(paused),
    edited,
    rejected: results
  })
})

/**
 * A message behind an answer whose calls the client has answered: the paused run continues with both. Undefined if no
 * run waits for these answers, or for more. A run of a workflow takes no message.
 */
const answerTogether = Effect.fnUntraced(function*(service: Service, sent: Sent) {
  const { message, request, target } = sent
  const previous = ChatRequest.answeredBefore(request)
  if (previous === undefined || target.component.kind === "workflow") return undefined
  const query = { ...target, session_id: request.id, isOnPath: true, partOf: "start" } as const
  const waiting = (yield* toWire(SessionRuns.paused(service, query))).map(PausedRun.of)
  const sought = { calls: ChatRequest.callsIn(previous), named: previous.id ?? undefined }
  const paused = waiting.length === 0 ? undefined : yield* AnsweredRun.find(service, query, waiting, sought).pipe(
    Effect.catchTag("Conflict", () => Effect.undefined)
  )
  if (paused === undefined) return undefined
  const answers = ChatRequest.answersIn(previous, paused.questions, request)
  if (Result.isFailure(answers)) {
    return ["missing", "decided"].includes(answers.failure.reason) ? undefined : yield* rejected(answers.failure)
  }
  const { decisions, edited, rejected: results } = answers.success
  if (Object.keys(decisions).length === 0) return undefined
  const continued = yield* toWire(orDecided(service.continue({
    ...continuing(sent, paused.run.run_id),
    decisions,
    input: ChatRequest.textOf(message),
    media: yield* mediaOf(message),
    key: keyOf(sent)
  })))
  if (continued._tag === "ContinueRejected") return undefined
  return yield* stream(continued, { known: PausedRun.shownCalls(paused), edited, rejected: results })
})

/** Another run with the same message, on a branch of its own. A run that waits for an answer waits no more. */
const regenerate = Effect.fnUntraced(function*(service: Service, sent: Sent) {
  const { request: { id: session_id, messageId }, target } = sent
  const run = yield* toWire(SessionRuns.replaceable(service, { ...target, session_id }, messageId ?? undefined))
  if (Option.isNone(run)) return yield* start(service, sent)
  const fork = {
    from: "last_user",
    fork: false,
    regenerate: true,
    replaceOriginal: true,
    ...RunOption.defaultsOf(RunOption.inherited),
    ...RunOption.defaultsOf(RunOption.given)
  } as const
  return yield* stream(yield* toWire(service.continue({ ...continuing(sent, run.value.run_id), fork })))
})

export const send = (service: Service, target: Target) =>
  Effect.fnUntraced(function*(body: Json.Value) {
    const request = yield* decode(body)
    const message = ChatRequest.lastOf(request)
    const sent: Sent = { target, request, message }
    if (message.role === "assistant") return yield* answer(service, sent)
    if (message.role === "system") {
      return yield* Errors.invalidValue(["body", "messages"], "The last message is one of the user, or an answered one")
    }
    if (!ChatRequest.isReadable(message)) {
      return yield* Errors.invalidValue(
        ["body", "messages"],
        "Parts need a type of the chat, and text parts their text"
      )
    }
    if (request.trigger === "regenerate-message") return yield* regenerate(service, sent)
    const answered = Predicate.isNotNullish(request.messageId) ? undefined : yield* answerTogether(service, sent)
    return answered ?? (yield* start(service, sent))
  })

/** From its first event. A paused run shows what it waits for. 204 if nothing runs or waits. */
export const resume = Effect.fnUntraced(function*(service: Service, target: Target) {
  const query = { ...target, session_id: target.chat_id, partOf: "watch" } as const
  const active = yield* toWire(SessionRuns.active(service, query))
  const [run] = active.length > 0 ? active : yield* toWire(
    SessionRuns.withStatus(service, { ...query, isOnPath: true }, ["PAUSED"], 1)
  )
  if (run === undefined) return HttpServerResponse.empty({ status: 204 })
  const { caller, component } = target
  const { run_id, session_id } = run
  const { events } = yield* toWire(RunReplay.of(service, { caller, component, run_id, session_id }))
  return yield* PieceStream.respond({
    run_id,
    encoder: ChatStream.make({ messageId: run_id, metadata: metadataOf(run) }),
    events,
    headers
  })
})

/** A run that waits for an answer is cancelled as well. `message_id`: only this answer. */
export const stop = Effect.fnUntraced(function*(service: Service, target: Target, message_id: string | null) {
  if (message_id !== null && !Ids.isExact(message_id)) return HttpServerResponse.jsonUnsafe({ stopped: false })
  const run_id = message_id === null ? undefined : Run.Id.make(message_id)
  const query = { ...target, session_id: target.chat_id, run_id }
  const stopped = yield* toWire(SessionRuns.cancel(service, query, { alsoPaused: true }))
  return HttpServerResponse.jsonUnsafe({ stopped })
})
