// What an event of a channel leads to: a run, an answer to what a run waits for, or a text. All that it does can be
// repeated: the run of a message has an id that was stored with the message, and a decision has the id of its event.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type { Components } from "@svc-runtime/agents/runService/Components"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import * as SessionRuns from "@svc-runtime/agents/runService/SessionRuns"
import type { StartError, StartRequest } from "@svc-runtime/agents/runService/StartRequest"
import * as Run from "@svc-runtime/domain/Run"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { now } from "@svc-runtime/engine/now"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { Effect, Option, Result } from "effect"
import { type ChannelEvent, readText } from "./ChannelEvent.ts"
import type { ShownRun, Waiting } from "./ChannelRows.ts"
import type { ChannelStore } from "./ChannelStore.ts"
import { type Handled, say } from "./Deciding.ts"
import * as Deciding from "./Deciding.ts"
import * as Files from "./Files.ts"
import type { LiveChannel, LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Policy from "./Policy.ts"
import type * as Replies from "./Replies.ts"
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

type Outcome = Effect.Effect<Handled | Later, StorageUnavailable>

const nothing: Handled = {}

export interface Services {
  readonly store: ChannelStore["Service"]
  readonly channels: LiveChannels["Service"]
  readonly components: Components
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

/** What a reply to the event is about. */
export const about = ({ channel, event: { id, isDirect, place, sender, thread } }: Waiting): Replies.About => ({
  channel,
  thread,
  place,
  is_direct: isDirect,
  sender: { id: sender.id, name: sender.name ?? null },
  cause: `event ${id}`
})

export const make = ({ channels, components, store }: Services) => {
  const withFiles = Files.receiving(channels.limits.fileBytes)

  const personOf = Effect.fnUntraced(function*(channel: LiveChannel, sender: string) {
    if (channel.access?.type === "open") return Policy.ofOpen(channel, sender)
    return yield* channels.linked(channel, sender)
  })

  /** Tells a person how to link the account. The code is for this person only. */
  const offerLink = Effect.fnUntraced(function*(channel: LiveChannel, { event }: Waiting) {
    if (channel.access?.type === "open") {
      if (event.type === "press") return say(Sentences.notYours)
      return event.isDirect ? say(Sentences.notAdmitted) : nothing
    }
    if (event.isDirect) return { says: [{}] } satisfies Handled
    const { directPlace } = channel.adapter
    if (directPlace === undefined) return say(Sentences.linkDirectly)
    const sender = event.sender.id
    const place = yield* Effect.result(call((context) => directPlace(sender, context)))
    return Result.isFailure(place)
      ? say(Sentences.linkDirectly)
      : { says: [{ place: place.success, thread: `direct ${sender}` }] } satisfies Handled
  })

  /** That of the conversation, unless it was deleted. */
  const sessionIn = Effect.fnUntraced(function*(
    { component }: LiveChannel,
    { channel, event: { thread }, session_id }: Waiting,
    { principal, user_id }: Policy.Person
  ) {
    const known = yield* store.sessionOf({ channel, thread, user_id })
    if (Option.isNone(known)) return session_id
    const query = { caller: Caller.make(principal), component, session_id: known.value, partOf: "start" } as const
    const found = yield* Effect.result(
      SessionRuns.withStatus(yield* channels.runs, query, Run.Status.literals, 1)
    )
    if (Result.isSuccess(found)) return found.success.length > 0 ? known.value : session_id
    return isStorageUnavailable(found.failure) ? yield* Effect.fail(found.failure) : known.value
  })

  const start = Effect.fnUntraced(function*(
    channel: LiveChannel,
    waiting: Waiting,
    { media, message }: Pick<StartRequest, "media" | "message">,
    person: Policy.Person
  ) {
    const { adapter: { platform }, component, id, whenBusy = "queue" } = channel
    const { event, received_at, run_id } = waiting
    const { sender, thread } = event
    const { principal, user_id } = person
    const session_id = yield* sessionIn(channel, waiting, person)
    const runs = yield* channels.runs
    const started = yield* Effect.result(runs.start({
      component,
      caller: Caller.make(principal),
      run_id,
      isRepeated: true,
      session_id,
      message: readText(event, message),
      media,
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

  const { onPress, onText } = Deciding.make(store, channels)

  const onMessage = Effect.fnUntraced(function*(
    channel: LiveChannel,
    waiting: Waiting,
    text: string,
    person: Policy.Person
  ) {
    const { event, received_at } = waiting
    const files = event.type === "message" ? event.files ?? [] : []
    const answered = files.length > 0 ? Option.none() : yield* onText(channel, waiting, text, person)
    if (Option.isSome(answered)) return answered.value
    return yield* withFiles(channel, files, (received) =>
      Result.isFailure(received)
        ? Effect.succeed(say(received.failure))
        : start(channel, waiting, { message: text, media: received.success }, person)).pipe(
        Effect.catchTag(
          "ChannelError",
          ({ message, retryAfter = 5 }) =>
            Effect.flatMap(now, (at): Outcome =>
              at - received_at < untilGone
                ? Effect.succeed({ seconds: retryAfter })
                : Effect.as(
                  Effect.logWarning("Files of a person could not be downloaded", message),
                  say(Sentences.notDownloaded(""))
                ))
        )
      )
  })

  const helpOf = ({ access, component }: LiveChannel) =>
    Effect.map(
      Effect.option(components.find(component)),
      (found) => Sentences.help(Option.isSome(found) ? found.value.registered : {}, access?.type !== "open")
    )

  const stop = Effect.fnUntraced(function*(channel: LiveChannel, waiting: Waiting, person: Policy.Person) {
    const { component } = channel
    const session_id = yield* sessionIn(channel, waiting, person)
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
        return say(yield* helpOf(channel))
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
        return yield* onPress(channel, waiting, event, person)
    }
  })
}
