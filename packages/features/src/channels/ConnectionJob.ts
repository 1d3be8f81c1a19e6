// The job of a channel whose adapter listens over a connection, or by polling: one node at a time executes it. Each
// node that has the channel sees to it that there is one.
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import * as Jobs from "@svc-runtime/engine/jobs/Jobs"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { now } from "@svc-runtime/engine/now"
import { JobSignal } from "@svc-runtime/engine/signals/Signals"
import { Effect, Option, Schema } from "effect"
import { ChannelStore } from "./ChannelStore.ts"
import * as Inbox from "./Inbox.ts"
import { LiveChannels } from "./LiveChannels.ts"
import { call } from "./PlatformCalls.ts"
import * as Prompts from "./Prompts.ts"

const Payload = Schema.Struct({ channel: Schema.String })

const shape = {
  name: "channel_connection",
  payload: Payload,
  isOnePerKey: true,
  // it ends when no node has the channel
  maxAttempts: 1_000_000,
  timeout: "1 day"
} as const

const enqueued = JobKind.withoutHandler(shape)

/** How long one execution listens. The next one continues. */
const listening = "20 hours"

/** Seconds before another attempt, at most. */
const maxDelay = 60

/** How long a connection holds until its failures before count no more. */
const settled = "30 seconds"

/** How often a node looks whether its channels have their jobs. */
const planEvery = "1 minute"

export const kind = Effect.gen(function*() {
  const [store, channels, signal] = [yield* ChannelStore, yield* LiveChannels, yield* JobSignal]
  const inbox = Inbox.make({ store, signal: Effect.sync(() => signal.notify()), room: channels.limits.room })

  const made = JobKind.make({
    ...shape,
    concurrency: 256,
    handle: Effect.fnUntraced(
      function*(payload: typeof Payload.Type, context: JobKind.JobContext) {
        const found = yield* channels.find(payload.channel)
        const listen = Option.getOrUndefined(found)?.adapter.listen
        if (Option.isNone(found) || listen === undefined) return
        const channel = found.value
        const services = yield* Effect.context<never>()
        const prompt = Prompts.find(store, channel.id)
        const connection = call(
          (platform) =>
            listen(
              (events) =>
                Effect.runPromiseWith(services)(Effect.andThen(inbox(channel, events), context.progressed), {
                  signal: platform.signal
                }),
              platform
            ),
          { prompt, timeout: undefined }
        ).pipe(
          // for the health of the channel
          Effect.tapError(({ message }) =>
            Effect.flatMap(now, (at) => store.failed(channel.id, { kind: "connect", message, at }))
          )
        )
        const settling = Effect.andThen(Effect.sleep(settled), Effect.andThen(context.progressed, Effect.never))
        yield* Effect.raceFirst(connection, settling).pipe(
          Effect.raceFirst(channels.stopping),
          Effect.raceFirst(channels.changed(channel)),
          Effect.timeoutOption(listening)
        )
        yield* context.postpone(1)
      },
      (effect, { channel }) => Effect.annotateLogs(effect, { channel })
    )
  })
  return { ...made, backoff: (attempts: number) => Math.min(maxDelay, made.backoff(attempts)) }
})

/** Each channel that listens has a job from now on. */
export const plan = Effect.gen(function*() {
  const [channels, jobs, signal] = [yield* LiveChannels, yield* JobStore, yield* JobSignal]
  const planOne = ({ id: channel }: { readonly id: string }) =>
    Jobs.newJob(enqueued, { channel }, { key: channel }).pipe(
      Effect.catchTag("JobInvalid", Effect.die),
      Effect.flatMap(jobs.enqueueMissing),
      Effect.map((isNew) => isNew ? signal.notify() : undefined)
    )
  const task = Effect.flatMap(
    channels.all,
    (all) => Effect.forEach(all.filter(({ adapter }) => adapter.listen !== undefined), planOne, { discard: true })
  )
  yield* BackgroundLoops.fork({}, { channelConnections: { task, every: planEvery, retryEvery: "1 second" } })
})
