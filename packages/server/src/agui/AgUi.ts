// The requests of AG-UI. A thread is a session: a user message starts a run, and answers continue its paused run.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { RunService } from "@svc-runtime/agents/runService/RunService"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { RepeatedRun } from "@svc-runtime/agents/runService/StoredRun"
import type { Scoped } from "@svc-runtime/agents/runService/VisibleRuns"
import { Errors } from "@svc-runtime/api"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type { RunHandle } from "@svc-runtime/engine/run/RunHandle"
import { toWire } from "@svc-runtime/http/wire/runErrors"
import * as AgUiStream from "@svc-runtime/protocols/agui/AgUiStream"
import * as InputAnswers from "@svc-runtime/protocols/agui/InputAnswers"
import * as RunAgentInput from "@svc-runtime/protocols/agui/RunAgentInput"
import * as PausedRun from "@svc-runtime/protocols/pause/PausedRun"
import * as InputMedia from "@svc-runtime/protocols/run/InputMedia"
import { Effect, Result, Stream } from "effect"
import * as AnsweredRun from "../protocols/AnsweredRun.ts"
import * as PieceStream from "../protocols/PieceStream.ts"
import { decoder, orDecided } from "../protocols/ProtocolErrors.ts"

type Service = RunService["Service"]
type Input = RunAgentInput.RunAgentInput

export interface Target extends Scoped {
  /** Whether the client always sends all messages that it shows. */
  readonly isWhole: boolean
}

export const decode = decoder(RunAgentInput.RunAgentInput)

/** The user that an anonymous request names. The credential of the caller overrides it. */
const userOf = ({ forwardedProps }: Input): Ids.UserId | undefined => {
  const user = Json.isObject(forwardedProps ?? undefined) ? (forwardedProps as Json.Object)["user_id"] : undefined
  return typeof user === "string" && user !== "" && Ids.isUserId(user) ? Ids.UserId.make(user) : undefined
}

const stream = (run: RunHandle | RepeatedRun, input: Input, options: Partial<AgUiStream.Options> = {}) =>
  PieceStream.respond({
    run_id: run.run.run_id,
    encoder: AgUiStream.make({
      threadId: input.threadId,
      runId: input.runId,
      isVersion1: RunAgentInput.isVersion1(input),
      state: RunAgentInput.stateOf(input),
      sessionState: run._tag === "Started" ? run.sessionState : undefined,
      clientTools: RunAgentInput.toolNamesOf(input),
      ...options
    }),
    events: run._tag === "Started" ? run.events : run.watched.events
  })

/** An answer that does not fit what the run waits for: the run stays paused. */
const refused = (input: Input, message: string) => {
  const { runId, threadId } = input
  const encoder = AgUiStream.make({ threadId, runId, isVersion1: RunAgentInput.isVersion1(input) })
  return PieceStream.response({ frames: Stream.make(encoder.begin, encoder.broken(message)), broken: encoder.broken })
}

const pausedIn = (service: Service, target: Scoped, { threadId }: Input, isOnPath?: true) =>
  Effect.map(
    toWire(SessionRuns.paused(service, { ...target, session_id: threadId, isOnPath })),
    (runs) => runs.map(PausedRun.of)
  )

interface Sent<A, E, R> {
  /** The calls that tool messages answer. */
  readonly calls: ReadonlySet<string>
  /** An approval has decided otherwise. */
  readonly decided: (message: string) => Effect.Effect<A, E, R>
  /** Of the user, behind them. */
  readonly message?: { readonly text: string; readonly media: Media.Media }
}

const resume = Effect.fnUntraced(function*<A, E, R>(
  service: Service,
  { caller, component }: Scoped,
  input: Input,
  paused: PausedRun.PausedRun,
  read: ReturnType<typeof InputAnswers.ofTools>,
  { calls: sent, decided, message }: Sent<A, E, R>
) {
  if (Result.isFailure(read)) return yield* refused(input, read.failure.message)
  const { questions, run: { run_id } } = paused
  const { decisions, rejected: results } = read.success
  const continued = yield* Effect.result(toWire(orDecided(service.continue({
    component,
    caller,
    run_id,
    session_id: input.threadId,
    user_id: userOf(input),
    decisions,
    input: message?.text,
    media: message?.media,
    fork: undefined,
    stream: true,
    background: false
  }))))
  if (Result.isFailure(continued)) {
    const { failure } = continued
    return yield* failure._tag === "Invalid" ? refused(input, failure.detail) : Effect.fail(failure)
  }
  const { success: run } = continued
  if (run._tag === "ContinueRejected") return yield* decided(run.message)
  const known = PausedRun.shownCalls(paused)
  const answered = questions.filter(({ kind, toolCallId }) => kind === "external_execution" && sent.has(toolCallId))
  return yield* stream(run, input, {
    known,
    results,
    questions: questions.filter(({ toolCallId }) => !sent.has(toolCallId)),
    answered: answered.map(({ toolCallId }) => toolCallId)
  })
})

const answer = Effect.fnUntraced(function*(service: Service, target: Scoped, input: Input) {
  const waiting = yield* pausedIn(service, target, input)
  const entries = input.resume ?? []
  const answers = RunAgentInput.toolAnswersOf(input)
  const ids = new Set(answers.map(({ toolCallId }) => toolCallId))
  const decided = (message: string) => refused(input, message)
  const [entry] = entries
  if (entry !== undefined) {
    const asking = PausedRun.asking(waiting, entry.interruptId)
    if (asking === undefined) {
      return yield* Errors.conflict(`No run waits for '${entry.interruptId}'${PausedRun.openText(waiting)}`)
    }
    const paused = PausedRun.answered(asking, ({ id }) => entries.some(({ interruptId }) => interruptId === id))
    const read = InputAnswers.ofResume(paused.questions, entries, answers)
    return yield* resume(service, target, input, paused, read, { calls: ids, decided })
  }
  const query = { ...target, session_id: input.threadId }
  const named = RunAgentInput.answeredRunOf(input)
  const found = yield* AnsweredRun.find(service, query, waiting, { calls: ids, named })
  if (found === undefined) {
    return yield* Errors.conflict(
      `No paused run matches the tool messages of thread '${input.threadId}'${PausedRun.openText(waiting)}`
    )
  }
  const paused = PausedRun.answered(found, ({ toolCallId }) => ids.has(toolCallId))
  const read = InputAnswers.ofTools(paused.questions, answers)
  return yield* resume(service, target, input, paused, read, { calls: ids, decided })
})

/** The message of the user at the end. */
const messageOf = Effect.fnUntraced(function*(input: Input) {
  const message = RunAgentInput.inputOf(input)
  if (message === undefined) {
    return yield* Errors.invalidValue(
      ["body", "messages"],
      "The last message is one of the user, or a result of a tool"
    )
  }
  if (!message.files.every(InputMedia.isUsable)) {
    return yield* Errors.invalidValue(["body", "messages"], "A file needs an http address or base64")
  }
  return { text: message.text, media: InputMedia.of(message.files) }
})

/**
 * Results of calls and a message of the user behind them: the paused run continues with both. Undefined if no run waits
 * for these results, or for more. A run of a workflow takes no message.
 */
const answerTogether = Effect.fnUntraced(
  function*(
    service: Service,
    target: Target,
    input: Input,
    message: NonNullable<Sent<never, never, never>["message"]>
  ) {
    const answers = RunAgentInput.toolAnswersOf(input)
    if (answers.length === 0 || target.component.kind === "workflow") return undefined
    const calls = new Set(answers.map(({ toolCallId }) => toolCallId))
    const waiting = yield* pausedIn(service, { ...target, partOf: "start" }, input, true)
    const query = { ...target, session_id: input.threadId, partOf: "start" } as const
    const sought = { calls, named: RunAgentInput.answeredRunOf(input) }
    const paused = waiting.length === 0 ? undefined : yield* AnsweredRun.find(service, query, waiting, sought).pipe(
      Effect.catchTag("Conflict", () => Effect.undefined)
    )
    if (paused === undefined) return undefined
    const read = InputAnswers.ofTools(paused.questions, answers)
    if (Result.isFailure(read) && ["missing", "decided"].includes(read.failure.reason)) return undefined
    return yield* resume(service, target, input, paused, read, { calls, message, decided: () => Effect.undefined })
  }
)

/** A page that was loaded again executes its open calls no more: the user can write meanwhile. */
const hasInterrupts = ({ questions }: PausedRun.PausedRun, input: Input): boolean => {
  const tools = RunAgentInput.toolNamesOf(input)
  return questions.some(({ approval, name }) => approval === undefined && !tools.has(name))
}

const start = Effect.fnUntraced(function*(service: Service, target: Target, input: Input) {
  const message = yield* messageOf(input)
  const answered = yield* answerTogether(service, target, input, message)
  if (answered !== undefined) return answered
  const waiting = RunAgentInput.isVersion1(input)
    ? yield* pausedIn(service, { ...target, partOf: "start" }, input, true)
    : []
  if (waiting.some((paused) => hasInterrupts(paused, input))) {
    return yield* Errors.conflict(
      "A run of this thread waits for an answer: send `resume` for its interrupts, and the results of its open calls"
    )
  }
  const place = RunAgentInput.placeOf(input, target.isWhole)
  const { isWhole } = target
  // clients send all messages that they have, so an answer that is not sent is not shown
  const session = { ...target, session_id: input.threadId }
  const replaced = yield* toWire(SessionRuns.replacedBy(service, session, place, {
    isEdit: false,
    isWhole: isWhole || place.known.length > 0
  }))
  const started = yield* toWire(service.start({
    component: target.component,
    caller: target.caller,
    message: message.text,
    media: message.media,
    run_id: input.runId,
    onHiddenId: "newId",
    session_id: input.threadId,
    place,
    user_id: userOf(input),
    factoryInput: FactoryInput.none,
    options: {
      ...RunOptions.defaults,
      stream: true,
      dependencies: RunAgentInput.dependenciesOf(input),
      session_state: input.state ?? undefined,
      client_tools: RunAgentInput.toolsOf(input)
    }
  }))
  yield* Effect.ignore(SessionRuns.end(service, target, replaced), { log: true })
  return yield* stream(started, input)
})

export const run = (service: Service, target: Target) =>
  Effect.fnUntraced(function*(body: Json.Value) {
    const input = yield* decode(body)
    const isAnswer = (input.resume ?? []).length > 0 || input.messages.at(-1)?.role === "tool"
    return yield* isAnswer ? answer(service, target, input) : start(service, target, input)
  })
