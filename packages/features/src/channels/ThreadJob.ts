// The job that handles the events of one conversation in their order. All that it does can be repeated: the run of a
// message has an id that was stored with the message.
import * as FactoryInput from "@svc-runtime/agents/factory/FactoryInput"
import * as AwaitedRun from "@svc-runtime/agents/runService/AwaitedRun"
import * as Caller from "@svc-runtime/agents/runService/Caller"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import type { StartError } from "@svc-runtime/agents/runService/StartRequest"
import type * as Principal from "@svc-runtime/domain/Principal"
import { isStorageUnavailable, type StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RunContextOptions from "@svc-runtime/engine/RunContextOptions"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Option } from "effect"
import type { ChannelEvent } from "./ChannelEvent.ts"
import { replyJob, threadShape } from "./ChannelJobs.ts"
import type { NewReply, Waiting } from "./ChannelRows.ts"
import { ChannelStore, type Handling } from "./ChannelStore.ts"
import { type LiveChannel, LiveChannels } from "./LiveChannels.ts"
import * as Policy from "./Policy.ts"
import * as Sentences from "./Sentences.ts"

/** Names the conversation in the metadata of its runs. */
export const metadataKey = "channel"

/** Seconds for which a conversation waits for a node that has its channel or its component. */
const untilGone = 600

/** What another attempt can do. */
type Later = { readonly _tag: "Later"; readonly seconds: number }

const later = (seconds: number): Later => ({ _tag: "Later", seconds })

type Message = Extract<ChannelEvent, { readonly type: "message" }>

export const kind = Effect.gen(function*() {
  const [store, channels, signal] = [yield* ChannelStore, yield* LiveChannels, yield* JobSignal]

  const finish = Effect.fnUntraced(function*(
    waiting: Waiting,
    reply: Pick<NewReply, "run" | "text" | "user_id"> | undefined,
    session?: Handling["session"]
  ) {
    const at = yield* now
    const { channel, event: { id, place, thread } } = waiting
    const row: NewReply | undefined = reply === undefined ? undefined : {
      ...reply,
      id: (yield* NewId)(),
      channel,
      thread,
      cause: `event ${id}`,
      place,
      created_at: at
    }
    yield* store.handled(waiting, {
      at,
      session,
      reply: row === undefined ? undefined : { row, job: yield* replyJob({ channel, thread }) }
    })
    if (row !== undefined) signal.notify()
  })

  const say = (waiting: Waiting, text: string) => finish(waiting, { run: null, text, user_id: null })

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

  const start = Effect.fnUntraced(function*(
    { component, id: channel, whenBusy = "queue", adapter: { platform } }: LiveChannel,
    { event, received_at, run_id, session_id: newSession }: Waiting,
    message: Message,
    principal: Principal.Principal & { readonly user_id: NonNullable<Principal.Principal["user_id"]> }
  ) {
    const { thread } = event
    const { user_id } = principal
    const known = yield* store.sessionOf({ channel, thread, user_id })
    const session_id = Option.getOrElse(known, () => newSession)
    const runs = yield* channels.runs
    const { sender } = message
    const started = yield* Effect.result(runs.start({
      component,
      caller: Caller.make(principal),
      run_id,
      session_id,
      message: message.text,
      factoryInput: FactoryInput.text(undefined),
      options: {
        ...RunOptions.defaults,
        ...RunContextOptions.adding({}, {
          [metadataKey]: { id: channel, platform, thread, sender: { ...sender, name: sender.name ?? null } }
        }),
        if_busy: whenBusy,
        stream: true,
        background: true
      }
    }))
    if (started._tag === "Success" || started.failure._tag === "RunExists") {
      return { session: { user_id, session_id }, run: { ...component, run_id, session_id, after: 0 } }
    }
    const { failure } = started
    if (isStorageUnavailable(failure)) return yield* Effect.fail(failure)
    if (AwaitedRun.isBusy(failure)) return later(2)
    const text = yield* refusal(failure, (yield* now) - received_at)
    return text === undefined ? later(5) : { text }
  })

  const handleOne = Effect.fnUntraced(function*(
    waiting: Waiting
  ): Effect.fn.Return<Later | undefined, StorageUnavailable> {
    const found = yield* channels.find(waiting.channel)
    if (Option.isNone(found)) {
      if ((yield* now) - waiting.received_at < untilGone) return later(10)
      yield* Effect.logError("A message has no channel any more, and is not answered")
      yield* finish(waiting, undefined)
      return undefined
    }
    const channel = found.value
    const { event } = waiting
    const principal = Policy.principalOf(channel, event.sender.id)
    if (principal === undefined || principal.user_id === undefined) {
      yield* event.type === "message" && event.isDirect
        ? say(waiting, Sentences.notAdmitted)
        : finish(waiting, undefined)
      return undefined
    }
    const { user_id } = principal
    if (event.type !== "message") {
      yield* finish(waiting, undefined)
      return undefined
    }
    const started = yield* start(channel, waiting, event, { ...principal, user_id })
    if ("_tag" in started) return started
    if ("text" in started) yield* say(waiting, started.text)
    else yield* finish(waiting, { run: started.run, text: null, user_id }, started.session)
    return undefined
  })

  return JobKind.make({
    ...threadShape,
    concurrency: 64,
    handle: Effect.fnUntraced(
      function*(of, context) {
        for (;;) {
          const next = yield* store.next(of)
          if (Option.isNone(next)) return
          const waiting = next.value
          const { event: { id } } = waiting
          const result = yield* handleOne(waiting).pipe(
            Effect.catchDefect((defect) =>
              JobKind.isLast(context)
                ? Effect.andThen(
                  Effect.logError("An event of a channel cannot be handled", defect),
                  Effect.as(say(waiting, Sentences.failed(undefined)), undefined)
                )
                : Effect.die(defect)
            ),
            Effect.annotateLogs({ event_id: id })
          )
          if (result !== undefined) return yield* context.postpone(result.seconds)
          yield* context.progressed
        }
      },
      (effect, { channel, thread }) => Effect.annotateLogs(effect, { channel, thread })
    )
  })
})
