// The job that handles the events of one conversation in their order.
import * as Components from "@svc-runtime/agents/runService/Components"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Option, Result } from "effect"
import * as ChannelEvent from "./ChannelEvent.ts"
import { threadShape } from "./ChannelJobs.ts"
import type { Waiting } from "./ChannelRows.ts"
import { ChannelStore } from "./ChannelStore.ts"
import * as Deciding from "./Deciding.ts"
import * as EventHandling from "./EventHandling.ts"
import { type LiveChannel, LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Replies from "./Replies.ts"
import * as Sentences from "./Sentences.ts"

/** Milliseconds for what a platform does not send with an event. */
const completing = 5000

/** Attempts at an event that ends each of them unexpectedly: the events behind it wait meanwhile. */
const maxDefects = 4

/** Seconds until the database is asked again: its failures are no attempts. */
const away = 5

export const kind = Effect.gen(function*() {
  const [store, channels, signal] = [yield* ChannelStore, yield* LiveChannels, yield* JobSignal]
  const handle = EventHandling.make({ store, channels, components: yield* Components.current })

  const finish = Effect.fnUntraced(function*(waiting: Waiting, { says = [], ...handled }: Deciding.Handled) {
    const replies = yield* Replies.make(EventHandling.about(waiting), says)
    yield* store.handled(waiting, { ...handled, at: yield* now, replies })
    if (replies.length > 0) signal.notify()
  })

  /** With what the adapter adds. Who sent it where stays as it was verified. */
  const completed = Effect.fnUntraced(function*({ adapter: { complete } }: LiveChannel, waiting: Waiting) {
    if (complete === undefined) return waiting
    const { event } = waiting
    const added = yield* Effect.result(call((context) => complete(event, context), { timeout: completing }))
    const checked = Result.flatMap(added, (given) => ChannelEvent.checked([given]))
    if (Result.isFailure(checked)) return waiting
    const [given = event] = checked.success
    const { id, isDirect, place, thread } = event
    return {
      ...waiting,
      event: { ...given, id, isDirect, place, thread, sender: { ...given.sender, id: event.sender.id } }
    }
  })

  /** Seconds until another attempt. Undefined: the event is handled. */
  const handleOne = Effect.fnUntraced(function*(waiting: Waiting) {
    const found = yield* channels.find(waiting.channel)
    if (Option.isNone(found)) {
      if ((yield* now) - waiting.received_at < EventHandling.untilGone) return 10
      yield* Effect.logError("A message has no channel any more, and is not answered")
      yield* finish(waiting, { error: "The channel is gone" })
      return undefined
    }
    const whole = yield* completed(found.value, waiting)
    const outcome = yield* handle(found.value, whole)
    if ("seconds" in outcome) return outcome.seconds
    yield* finish(whole, outcome)
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
          const later = yield* handleOne(waiting).pipe(
            Effect.catchDefect((defect) =>
              context.job.attempts < maxDefects ? Effect.die(defect) : Effect.andThen(
                Effect.logError("An event of a channel cannot be handled", defect),
                Effect.as(
                  finish(waiting, { ...Deciding.say(Sentences.failed(undefined)), error: "It cannot be handled" }),
                  undefined
                )
              )
            ),
            Effect.annotateLogs({ event_id: waiting.event.id })
          )
          if (later !== undefined) return yield* context.postpone(later)
          yield* context.progressed
        }
      },
      (effect, { channel, thread }, { postpone }) =>
        effect.pipe(
          Effect.catchTag("StorageUnavailable", (error) =>
            Effect.andThen(Effect.logWarning("The events of a channel wait for the database", error), postpone(away))),
          Effect.annotateLogs({ channel, thread })
        )
    )
  })
})
