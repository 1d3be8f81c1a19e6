// Signals changes to other nodes that wait for them. A node publishes its interests, and the others
// send a signal only for those: a run without watchers elsewhere costs no notification. Signals are collected and sent
// together, by statements of their own, so that no statement of a run waits for them.
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Clock, Deferred, Effect, Hash, Latch, Schema, Stream } from "effect"
import type { Loop } from "./BackgroundLoops.ts"
import type { Channel } from "./Notifications.ts"

export interface NodeSignals {
  /** Signals a change of a topic to the other nodes. */
  readonly publish: (topic: string) => void
  /** Called for each signal, and whenever one may have been missed, until the result is called. */
  readonly follow: (topic: string, onSignal: () => void) => () => void
  readonly loops: Readonly<Record<string, Loop>>
}

/** Topics are sent as hashes. Two topics with one hash cost an unnecessary poll. */
const Message = Schema.fromJsonString(Schema.Struct({
  sender: Schema.String,
  interest: Schema.Array(Schema.Int),
  changed: Schema.Array(Schema.Int)
}))

const decode = Schema.decodeUnknownOption(Message)

/** Hashes of one notification: at most 12 bytes each. */
const maxHashes = 500

/** The least time between two notifications of a node. */
const interval = "10 millis"

const renewMillis = 10_000

/** An interest that is not renewed ends after this time. */
const forgetMillis = 3 * renewMillis

const silent: NodeSignals = { publish: () => {}, follow: () => () => {}, loops: {} }

interface Topic {
  readonly hash: number
  readonly handlers: Set<() => void>
}

const over = (channel: Channel, sender: string, clock: Clock.Clock): NodeSignals => {
  const own = new Map<string, Topic>()
  const byHash = new Map<number, Set<() => void>>()
  /** Until when others are interested. */
  const wanted = new Map<number, number>()
  const [interest, changed] = [new Set<number>(), new Set<number>()]
  const hasNews = Latch.makeUnsafe(false)
  let isListening = false
  let isLost = false
  let [sentAt, receivedAt] = [0, 0]
  let deaf = Deferred.makeUnsafe<void>()

  const signal = (hash: number) => byHash.get(hash)?.forEach((handler) => handler())

  const take = (hashes: Set<number>, count: number) => {
    const taken = [...hashes].slice(0, count)
    taken.forEach((hash) => hashes.delete(hash))
    return taken
  }

  const send: Effect.Effect<void, StorageUnavailable> = Effect.suspend(() => {
    hasNews.closeUnsafe()
    const interests = take(interest, maxHashes)
    const happened = take(changed, maxHashes - interests.length)
    if (interest.size + changed.size > 0) hasNews.openUnsafe()
    sentAt = Monotonic.millisOf(clock)
    return channel.send(JSON.stringify({ sender, interest: interests, changed: happened }))
  })

  const receive = (text: string) => {
    const message = decode(text)
    // another session's
    if (message._tag === "None") return
    const now = Monotonic.millisOf(clock)
    if (message.value.sender === sender) {
      receivedAt = now
      // from here on the others know of it: what changed before is looked up
      message.value.interest.forEach(signal)
      return
    }
    for (const hash of message.value.interest) wanted.set(hash, now + forgetMillis)
    message.value.changed.forEach(signal)
  }

  const announce = () => {
    for (const { hash } of own.values()) interest.add(hash)
    hasNews.openUnsafe()
  }

  const listening = Effect.gen(function*() {
    const texts = yield* channel.listen
    isListening = true
    deaf = Deferred.makeUnsafe<void>()
    if (isLost) yield* Effect.logWarning("Notifications between nodes work again")
    isLost = false
    announce()
    yield* Effect.raceFirst(
      Stream.runForEach(texts, (text) => Effect.sync(() => receive(text))),
      Deferred.await(deaf)
    )
  }).pipe(
    Effect.scoped,
    Effect.ignoreCause,
    Effect.andThen(Effect.suspend(() => {
      isListening = false
      if (isLost) return Effect.void
      isLost = true
      return Effect.logWarning(
        "Notifications between nodes are lost. Until they work again, changes are found by polling"
      )
    }))
  )

  /** A connection that is open and delivers nothing, as behind a pooler of statements, counts as lost. */
  const renew = Effect.sync(() => {
    const now = Monotonic.millisOf(clock)
    for (const [hash, until] of wanted) if (until < now) wanted.delete(hash)
    if (!isListening) return
    if (sentAt > receivedAt && now - sentAt > renewMillis / 2) Deferred.doneUnsafe(deaf, Effect.void)
    announce()
  })

  return {
    publish: (topic) => {
      if (wanted.size === 0) return
      const hash = Hash.string(topic)
      if ((wanted.get(hash) ?? 0) < Monotonic.millisOf(clock)) return
      changed.add(hash)
      hasNews.openUnsafe()
    },
    follow: (topic, onSignal) => {
      const known = own.get(topic) ?? { hash: Hash.string(topic), handlers: new Set() }
      const handlers = byHash.get(known.hash) ?? new Set()
      own.set(topic, known)
      byHash.set(known.hash, handlers)
      known.handlers.add(onSignal)
      handlers.add(onSignal)
      interest.add(known.hash)
      if (isListening) hasNews.openUnsafe()
      return () => {
        known.handlers.delete(onSignal)
        handlers.delete(onSignal)
        if (known.handlers.size === 0) own.delete(topic)
        if (handlers.size === 0) byHash.delete(known.hash)
      }
    },
    loops: {
      notifications: { task: listening, every: "1 second" },
      sendNotifications: { when: hasNews.await, task: send, every: interval },
      renewNotifications: { task: renew, every: renewMillis }
    }
  }
}

/** Without a channel, no signal is sent. */
export const make = (channel: Channel | undefined, sender: string) =>
  Effect.map(Clock.Clock, (clock) => channel === undefined ? silent : over(channel, sender, clock))
