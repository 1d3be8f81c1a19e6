// `ChannelStore` in memory, for services of tests.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { Effect, Layer, Option, Struct } from "effect"
import { laneOf } from "./ChannelJobs.ts"
import { type Asking, type Failure, type Place, promptOf, type Reply, sentCause, type Waiting } from "./ChannelRows.ts"
import { ChannelFull, ChannelStore, maxAsking, type Participant, type Replying, type Thread } from "./ChannelStore.ts"

interface StoredEvent extends Waiting {
  isHandled: boolean
}

interface Conversation extends Place {
  readonly session_id: Session.Id
}

interface StoredReply extends Reply {
  readonly cause: string
  readonly isWritten: boolean
  readonly written_at: number | null
  readonly error: string | null
  readonly isDecided: boolean
}

const own = ["cause", "error", "isWritten", "isDecided", "written_at"] as const

const latest = (times: ReadonlyArray<number>): number | null => times.length === 0 ? null : Math.max(...times)

const askingOf = (reply: StoredReply | undefined): Option.Option<Asking> =>
  reply === undefined || reply.pending === null
    ? Option.none()
    : Option.some({ ...Struct.omit(reply, own), pending: reply.pending, is_decided: reply.isDecided })

const make = Effect.gen(function*() {
  const jobs = yield* JobStore
  const events: Array<StoredEvent> = []
  const replies: Array<StoredReply> = []
  const sessions = new Map<string, Conversation>()
  const errors = new Map<string, Failure>()
  let seq = 0

  const keyOf = ({ channel, thread, user_id }: Participant) => JSON.stringify([channel, thread, user_id])
  const isIn = ({ channel, thread }: Thread) => (event: StoredEvent) =>
    event.channel === channel && event.event.thread === thread
  const change = (id: string, fields: Partial<StoredReply>) =>
    Effect.sync(() => {
      const index = replies.findIndex((reply) => reply.id === id)
      const found = replies[index]
      if (found !== undefined) replies[index] = { ...found, ...fields }
    })

  const openOf = (channel: string) => replies.filter((each) => each.channel === channel && !each.isWritten).length

  const lastOf = (isWanted: (each: Conversation) => boolean) =>
    Effect.sync(() =>
      Option.map(
        Option.fromUndefinedOr([...sessions.values()].findLast(isWanted)),
        Struct.omit(["session_id"])
      )
    )

  const insertReply = ({ job, row }: Replying) =>
    Effect.suspend(() => {
      const isKnown = replies.some(({ cause, channel }) => channel === row.channel && cause === row.cause)
      if (!isKnown) {
        replies.push({ ...row, seq: seq++, isWritten: false, isDecided: false, written_at: null, error: null })
      }
      return Effect.asVoid(jobs.enqueue(job))
    })

  return ChannelStore.of({
    accept: Effect.fnUntraced(function*(given, { jobs: enqueued, room }) {
      const added: Array<StoredEvent> = []
      for (const arrival of given) {
        const { channel, event } = arrival
        const all = [...events, ...added].filter((each) => each.channel === channel)
        if (all.some((each) => each.event.id === event.id)) continue
        const waiting = all.filter(({ isHandled }) => !isHandled)
        const ofThread = waiting.filter((each) => each.event.thread === event.thread)
        const ofSender = waiting.filter((each) => each.event.sender.id === event.sender.id)
        const isFull = ofThread.length >= room.perThread || ofSender.length >= room.perSender ||
          waiting.length >= room.perChannel
        if (isFull) return yield* new ChannelFull()
        added.push({ ...arrival, seq: seq++, isHandled: false })
      }
      events.push(...added)
      if (added.length > 0) yield* Effect.forEach(enqueued, (job) => jobs.enqueue(job), { discard: true })
      return added.length
    }),
    next: (of) =>
      Effect.sync(() => {
        const found = events.filter(isIn(of)).find((each) => !each.isHandled)
        return found === undefined ? Option.none() : Option.some(Struct.omit(found, ["isHandled"]))
      }),
    sessionOf: (of) => Effect.sync(() => Option.fromUndefinedOr(sessions.get(keyOf(of))?.session_id)),
    handled: Effect.fnUntraced(
      function*(
        { channel, event: { isDirect, place, sender, thread }, seq },
        { asks, decided, replies = [], session }
      ) {
        for (const reply of replies) yield* insertReply(reply)
        if (decided !== undefined) yield* change(decided, { isDecided: true })
        if (asks !== undefined) yield* change(asks.id, { pending: asks.pending })
        if (session !== undefined) {
          const key = keyOf({ channel, thread, user_id: session.user_id })
          // the last one is the newest
          sessions.delete(key)
          sessions.set(key, { ...session, channel, thread, sender: sender.id, place, is_direct: isDirect })
        }
        const found = events.find((each) => each.seq === seq)
        if (found !== undefined) found.isHandled = true
      }
    ),
    reply: insertReply,
    send: (reply, most) =>
      Effect.suspend(() =>
        openOf(reply.row.channel) < most ? Effect.as(insertReply(reply), true) : Effect.succeed(false)
      ),
    sent: (channel, id) =>
      Effect.sync(() => {
        const found = replies.find((each) => each.channel === channel && each.cause === sentCause(id))
        return Option.map(
          Option.fromUndefinedOr(found),
          Struct.pick(["id", "thread", "user_id", "created_at", "written_at", "error"])
        )
      }),
    placeIn: ({ channel, thread }, owner) =>
      lastOf((each) => each.channel === channel && each.thread === thread && Owner.covers(owner, each.user_id)),
    directPlaceOf: (channel, sender, user_id) =>
      lastOf((each) =>
        each.channel === channel && each.sender === sender && each.user_id === user_id && each.is_direct
      ),
    placeOf: (session_id) => lastOf((each) => each.session_id === session_id),
    health: (channel) =>
      Effect.sync(() => {
        const received = events.filter((each) => each.channel === channel)
        const written = replies.filter((each) => each.channel === channel && each.error === null)
        return {
          last_event_at: latest(received.map(({ received_at }) => received_at)),
          last_post_at: latest(written.flatMap(({ written_at }) => written_at ?? [])),
          waiting_events: received.filter(({ isHandled }) => !isHandled).length,
          waiting_replies: openOf(channel),
          errors: [...errors].filter(([key]) => key.startsWith(`${channel} `)).map(([, failure]) => failure)
            .toSorted((one, other) => other.at - one.at)
        }
      }),
    failed: (channel, failure) => Effect.sync(() => void errors.set(`${channel} ${failure.kind}`, failure)),
    nextReply: ({ channel, lane, thread }) =>
      Effect.sync(() => {
        const found = replies.find((each) =>
          each.channel === channel && each.thread === thread && !each.isWritten && laneOf(each) === lane
        )
        return found === undefined ? Option.none() : Option.some(Struct.omit(found, own))
      }),
    posted: (id, posts) => change(id, { posts }),
    decided: Effect.fnUntraced(function*(id, { replies }) {
      for (const reply of replies) yield* insertReply(reply)
      yield* change(id, { isDecided: true })
    }),
    pending: (id, pending, job) => Effect.andThen(change(id, { pending }), Effect.asVoid(jobs.enqueue(job))),
    asking: (channel, prompt_id) =>
      Effect.sync(() => askingOf(replies.find((each) => each.channel === channel && promptOf(each.id) === prompt_id))),
    askingIn: ({ channel, run_id, thread }) =>
      Effect.sync(() =>
        replies.filter((each) =>
          each.channel === channel && each.thread === thread && !each.isDecided &&
          (run_id === undefined || each.run?.run_id === run_id)
        )
          .flatMap((each) => Option.toArray(askingOf(each))).toReversed().slice(0, maxAsking)
      ),
    written: (id, { at, error }) => change(id, { isWritten: true, text: null, written_at: at, error })
  })
})

export const layer: Layer.Layer<ChannelStore, never, JobStore> = Layer.effect(ChannelStore, make)
