// What an event of a channel leads to: a run, an answer to what a run waits for, or a text. All that it does can be
// repeated: the run of a message has an id that was stored with the message, and a decision has the id of its event.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { StartError } from "@svc-runtime/agents/runService/StartRequest"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import type { Answer } from "@svc-runtime/protocols/pause/Answer"
import type { AnswerRejected } from "@svc-runtime/protocols/pause/AnswerRejected"
import * as Decisions from "@svc-runtime/protocols/pause/Decisions"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import { Effect, Option, Result } from "effect"
import type { ChannelEvent } from "./ChannelEvent.ts"
import { replyJob } from "./ChannelJobs.ts"
import type { Asking, NewReply, ShownRun, Waiting } from "./ChannelRows.ts"
import type { ChannelStore, Handling, Replying } from "./ChannelStore.ts"
import type { LiveChannel, LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Policy from "./Policy.ts"
import * as Prompts from "./Prompts.ts"
import * as Sentences from "./Sentences.ts"

/** Names the conversation in the metadata of its runs. */
export const metadataKey = "channel"

/** Seconds for which a conversation waits for a node that has its channel or its component. */
export const untilGone = 600

/** What another attempt can do, after so many seconds. */
export interface Later {
  readonly seconds: number
}

type Of<Type extends ChannelEvent["type"]> = Extract<ChannelEvent, { readonly type: Type }>

type Content = Partial<Pick<NewReply, "pending" | "place" | "posts" | "run" | "text" | "thread" | "user_id">>

export type Handled = Omit<Handling, "at" | "replies"> & { readonly says?: ReadonlyArray<Content> }

type Outcome = Effect.Effect<Handled | Later, StorageUnavailable>

const say = (text: string): Handled => ({ says: [{ text }] })

const nothing: Handled = {}

export interface Services {
  readonly store: ChannelStore["Service"]
  readonly channels: LiveChannels["Service"]
}

/** Why a message has no run, for people. Undefined: the message is to be tried again. */
const refusal = Effect.fnUntraced(function*(error: StartError, age: number) {
  switch (error._tag) {
    case "SessionBusy":
      return Sentences.busy
    case "RunForbidden":
      return Sentences.notAdmitted
    case "LimitReached":
      return error.message
    case "ComponentNotFound":
    case "ComponentUnusable":
      if (age < untilGone) return undefined
      yield* Effect.logError("The component of a channel is not available", error)
      return Sentences.unavailable
    default:
      yield* Effect.logWarning("A message of a channel has started no run", error)
      return Sentences.failed(undefined)
  }
})

/** The replies as they are stored, each with its job. */
export const repliesTo = Effect.fnUntraced(function*(
  { channel, event: { id, isDirect, place, sender, thread } }: Waiting,
  says: ReadonlyArray<Content>
) {
  const [newId, at] = [yield* NewId, yield* now]
  return yield* Effect.forEach(says, (content, index) => {
    const row: NewReply = {
      id: newId(),
      channel,
      thread,
      cause: index === 0 ? `event ${id}` : `event ${id} ${index}`,
      place,
      is_direct: isDirect,
      sender: { id: sender.id, name: sender.name ?? null },
      user_id: null,
      run: null,
      text: null,
      pending: null,
      posts: [],
      created_at: at,
      ...content
    }
    return Effect.map(replyJob({ channel, thread: row.thread }), (job): Replying => ({ row, job }))
  })
})

export const make = ({ channels, store }: Services) => {
  const personOf = Effect.fnUntraced(function*(channel: LiveChannel, sender: string) {
    if (channel.access?.type === "open") return Policy.ofOpen(channel, sender)
    return yield* channels.linked(channel, sender)
  })

  /** Tells a person how to link the account. The code is for this person only. */
  const offerLink = Effect.fnUntraced(function*(channel: LiveChannel, { event }: Waiting) {
    if (channel.access?.type === "open") return event.isDirect ? say(Sentences.notAdmitted) : nothing
    if (event.isDirect) return { says: [{}] } satisfies Handled
    const { directPlace } = channel.adapter
    if (directPlace === undefined) return say(Sentences.linkDirectly)
    const sender = event.sender.id
    const place = yield* Effect.result(call((context) => directPlace(sender, context)))
    return Result.isFailure(place)
      ? say(Sentences.linkDirectly)
      : { says: [{ place: place.success, thread: `direct ${sender}` }] } satisfies Handled
  })

  const sessionIn = ({ channel, event: { thread }, session_id }: Waiting, { user_id }: Policy.Person) =>
    Effect.map(store.sessionOf({ channel, thread, user_id }), Option.getOrElse(() => session_id))

  const start = Effect.fnUntraced(function*(
    { adapter: { platform }, component, id, whenBusy = "queue" }: LiveChannel,
    waiting: Waiting,
    message: string,
    person: Policy.Person
  ) {
    const { event: { sender, thread }, received_at, run_id } = waiting
    const { principal, user_id } = person
    const session_id = yield* sessionIn(waiting, person)
    const runs = yield* channels.runs
    const started = yield* Effect.result(runs.start({
      component,
      caller: Caller.make(principal),
      run_id,
      session_id,
      message,
      factoryInput: FactoryInput.text(undefined),
      options: {
        ...RunOptions.defaults,
        ...RunContextOptions.adding({}, {
          [metadataKey]: { id, platform, thread, sender: { id: sender.id, name: sender.name ?? null } }
        }),
        ...RunOption.whenBusy(whenBusy),
        stream: true,
        background: true
      }
    }))
    if (Result.isFailure(started) && started.failure._tag !== "RunExists") {
      const { failure } = started
      if (isStorageUnavailable(failure)) return yield* Effect.fail(failure)
      if (AwaitedRun.isBusy(failure)) return { seconds: 2 }
      const text = yield* refusal(failure, (yield* now) - received_at)
      return text === undefined ? { seconds: 5 } : say(text)
    }
    yield* channels.mark(component, session_id, { id, platform, thread })
    const run: ShownRun = { ...component, run_id, session_id, after: 0 }
    return { session: { user_id, session_id }, says: [{ run, user_id }] } satisfies Handled
  })

  interface Deciding {
    readonly waiting: Waiting
    readonly person: Policy.Person
    readonly asking: Asking
    readonly run: ShownRun
    /** Undefined: words are to come. The option is none if it is no answer at all. */
    readonly read: (question: Question) => Option.Option<Result.Result<Answer, AnswerRejected> | undefined>
  }

  /** None: the event is no answer. */
  const decide = Effect.fnUntraced(function*(
    { asking, person, read, run, waiting }: Deciding
  ): Effect.fn.Return<Option.Option<Handled>, StorageUnavailable> {
    const { approver, principal } = person
    const { pending, id: reply } = asking
    const { channel, event } = waiting
    const caller = Caller.make(approver ?? principal)
    const { run_id, session_id } = run
    const component = { kind: run.kind, id: run.id }
    const runs = yield* channels.runs
    const found = yield* Effect.result(runs.get({ caller, component, run_id, session_id, partOf: "continue" }))
    if (Result.isFailure(found)) {
      if (isStorageUnavailable(found.failure)) return yield* Effect.fail(found.failure)
      return Option.some(say(Sentences.notYours))
    }
    const questions = found.success.status === "PAUSED" ? Questions.of(found.success) : []
    const question = questions.find(({ id }) => id === pending.question)
    if (question === undefined) return Option.some({ ...say(Sentences.decided), decided: reply })
    const answer = read(question)
    if (Option.isNone(answer)) return Option.none()
    if (question.needsApproval && approver === undefined) return Option.some(say(Sentences.needsApproval))
    if (answer.value === undefined) {
      const awaits = event.type === "press" ? event.choice : ""
      const text = Sentences.write(question.fields.map(({ name }) => name).join(", ") || question.message)
      return Option.some({
        decided: reply,
        says: [{ text, run, user_id: asking.user_id, pending: { ...pending, text, choices: [], awaits } }]
      })
    }
    if (Result.isFailure(answer.value)) return Option.some(say(answer.value.failure.message))
    const answers = new Map([...pending.answers as ReadonlyArray<readonly [string, Answer]>, [
      question.id,
      answer.value.success
    ]])
    const text = `${pending.text}\n\n${Prompts.decidedText(answer.value.success, event.sender.name ?? event.sender.id)}`
    const shown: Content = { text, posts: asking.posts }
    const next = questions.find(({ id, needsApproval }) => !answers.has(id) && !needsApproval) ??
      questions.find(({ id }) => !answers.has(id))
    if (next !== undefined) {
      const asks = { ...pending, ...Prompts.pendingOf(next), answers: [...answers] as never }
      return Option.some({
        decided: reply,
        says: [shown, { run, user_id: asking.user_id, text: asks.text, pending: asks }]
      })
    }
    const decisions = Decisions.of(questions, answers)
    if (Result.isFailure(decisions)) return Option.some(say(decisions.failure.message))
    const continued = yield* Effect.result(runs.continue({
      component,
      caller,
      run_id,
      session_id,
      user_id: undefined,
      decisions: decisions.success,
      input: undefined,
      fork: undefined,
      stream: true,
      background: true,
      key: { key: `channel ${channel} ${event.id}`, fingerprint: event.id }
    }))
    if (Result.isFailure(continued)) {
      const { failure } = continued
      if (isStorageUnavailable(failure)) return yield* Effect.fail(failure)
      if (failure._tag === "RunForbidden" || failure._tag === "RunNotFound") return Option.some(say(Sentences.notYours))
      yield* Effect.logWarning("A decision of a channel was refused", failure)
      return Option.some(say(failure.message))
    }
    return Option.some({
      decided: reply,
      says: [shown, { run: { ...run, after: pending.after }, user_id: asking.user_id }]
    })
  })

  const onPress = Effect.fnUntraced(function*(waiting: Waiting, press: Of<"press">, person: Policy.Person) {
    const found = yield* store.asking(waiting.channel, press.prompt)
    if (Option.isNone(found) || found.value.run === null || found.value.thread !== press.thread) return nothing
    const asking = found.value
    const decided = yield* decide({
      waiting,
      person,
      asking,
      run: found.value.run,
      read: (question) => Option.some(Prompts.ofPress(question, press.choice, press.values))
    })
    return Option.getOrElse(decided, () => nothing)
  })

  const onMessage = Effect.fnUntraced(function*(
    channel: LiveChannel,
    waiting: Waiting,
    text: string,
    person: Policy.Person
  ) {
    const { event: { thread } } = waiting
    const asking = Option.getOrUndefined(yield* store.askingIn({ channel: channel.id, thread }))
    const isTheirs = asking?.user_id === person.user_id || person.approver !== undefined
    if (asking !== undefined && asking.run !== null && isTheirs) {
      const { awaits } = asking.pending
      const { hasButtons } = channel.adapter.limits
      const decided = yield* decide({
        waiting,
        person,
        asking,
        run: asking.run,
        read: (question) => Option.fromUndefinedOr(Prompts.ofText(question, text, { awaits, hasButtons }))
      })
      if (Option.isSome(decided)) return decided.value
    }
    return yield* start(channel, waiting, text, person)
  })

  const stop = Effect.fnUntraced(function*({ component }: LiveChannel, waiting: Waiting, person: Policy.Person) {
    const session_id = yield* sessionIn(waiting, person)
    const caller = Caller.make(person.principal)
    const runs = yield* channels.runs
    const active = yield* Effect.result(SessionRuns.active(runs, { caller, component, session_id }))
    if (Result.isFailure(active)) {
      return isStorageUnavailable(active.failure) ? yield* Effect.fail(active.failure) : say(Sentences.notAdmitted)
    }
    yield* Effect.forEach(
      active.success,
      ({ run_id, session_id }) => Effect.ignore(runs.cancel({ caller, component, run_id, session_id }), { log: true })
    )
    return active.success.length === 0 ? say(Sentences.done) : nothing
  })

  const onCommand = Effect.fnUntraced(function*(
    channel: LiveChannel,
    waiting: Waiting,
    { name, text }: Of<"command">,
    person: Policy.Person
  ) {
    switch (name.toLowerCase()) {
      case "new": {
        const session = { user_id: person.user_id, session_id: waiting.session_id }
        return { session, says: [{ text: Sentences.begun }] } satisfies Handled
      }
      case "help":
      case "start":
        return say(Sentences.help)
      case "stop":
        return yield* stop(channel, waiting, person)
      case "link":
        return say(channel.access?.type === "open" ? Sentences.noLinks : Sentences.isLinked)
      default:
        return yield* onMessage(channel, waiting, `/${name} ${text}`.trim(), person)
    }
  })

  return Effect.fnUntraced(function*(channel: LiveChannel, waiting: Waiting): Effect.fn.Return<
    Effect.Success<Outcome>,
    StorageUnavailable
  > {
    const { event } = waiting
    const person = yield* personOf(channel, event.sender.id)
    if (person === undefined) return yield* offerLink(channel, waiting)
    switch (event.type) {
      case "message":
        return yield* onMessage(channel, waiting, event.text, person)
      case "command":
        return yield* onCommand(channel, waiting, event, person)
      case "press":
        return yield* onPress(waiting, event, person)
    }
  })
}
