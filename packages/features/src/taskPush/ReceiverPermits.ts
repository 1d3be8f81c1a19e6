// Limits the calls of one receiver at a time, so that one that does not respond does not delay calls of others. Most
// calls are short: one that finds all permits taken waits a moment for the next one.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Data, Duration, Effect, Latch } from "effect"

export class ReceiverBusy extends Data.TaggedError("ReceiverBusy")<{}> {}

export interface Options {
  /** Calls of one receiver at a time. */
  readonly permits: number
  /** Calls of all receivers that wait. */
  readonly maxWaiting: number
  readonly timeout: Duration.Input
}

interface Receiver {
  calls: number
  /** Released when a call ends. */
  readonly ended: Latch.Latch
}

export const make = ({ maxWaiting, permits, timeout }: Options) => {
  const receivers = new Map<string, Receiver>()
  const maxWait = Duration.toMillis(timeout)
  let waiting = 0

  const receiverOf = (url: string): readonly [string, Receiver] => {
    const host = URL.parse(url)?.host ?? ""
    const receiver = receivers.get(host) ?? { calls: 0, ended: Latch.makeUnsafe(false) }
    receivers.set(host, receiver)
    return [host, receiver]
  }

  const nextEnd = ({ ended }: Receiver, millis: number) =>
    Effect.suspend(() => {
      waiting++
      return Effect.ensuring(Effect.timeoutOption(ended.await, millis), Effect.sync(() => waiting--))
    })

  const attempt = <A, E, R>(
    url: string,
    call: Effect.Effect<A, E, R>,
    until: number
  ): Effect.Effect<A, E | ReceiverBusy, R> =>
    Effect.flatMap(Monotonic.millis, (time) => {
      const [host, receiver] = receiverOf(url)
      if (receiver.calls < permits) {
        receiver.calls++
        const ended = Effect.suspend(() => {
          receiver.calls--
          if (receiver.calls === 0) receivers.delete(host)
          return receiver.ended.release
        })
        return Effect.ensuring(call, ended)
      }
      if (time >= until || waiting >= maxWaiting) return Effect.fail(new ReceiverBusy())
      return Effect.andThen(nextEnd(receiver, until - time), attempt(url, call, until))
    })

  return {
    /** Fails if no permit gets free. */
    withPermit: (url: string) => <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | ReceiverBusy, R> =>
      Effect.flatMap(Monotonic.millis, (time) => attempt(url, call, time + maxWait))
  }
}
