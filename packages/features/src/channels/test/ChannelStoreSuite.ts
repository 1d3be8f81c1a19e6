// What every `ChannelStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import { newId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option } from "effect"
import type { ChannelEvent } from "../ChannelEvent.ts"
import { pauseJob, replyJob, threadJob } from "../ChannelJobs.ts"
import { type Arrival, type NewReply, type Pending, promptOf, sentCause } from "../ChannelRows.ts"
import { ChannelStore } from "../ChannelStore.ts"

export const arrival = (
  channel: string,
  { id = newId("event"), thread = "T1", ...fields }: Partial<Extract<ChannelEvent, { readonly type: "message" }>> = {}
): Arrival => ({
  channel,
  event: {
    type: "message",
    id,
    thread,
    place: { thread },
    sender: { id: "U1" },
    isDirect: true,
    text: `Text of ${id}`,
    ...fields
  },
  run_id: Run.Id.make(newId("run")),
  session_id: Session.Id.make(newId("session")),
  received_at: 1000
})

export const reply = (channel: string, fields: Partial<NewReply> = {}): NewReply => ({
  id: newId("reply"),
  channel,
  thread: "T1",
  cause: newId("cause"),
  place: { thread: "T1" },
  is_direct: true,
  sender: { id: "U1", name: null },
  user_id: null,
  run: null,
  text: "Hello \u0000",
  pending: null,
  asks: null,
  edits: null,
  posts: [],
  created_at: 1000,
  ...fields
})

export const room = { perThread: 3, perSender: 4, perChannel: 5 }

const user_id = Ids.UserId.make("ann")

const made = Effect.gen(function*() {
  const [store, jobs] = [yield* ChannelStore, yield* JobStore]
  const channel = newId("channel")
  const thread = { channel, thread: "T1" }
  const accept = Effect.fnUntraced(function*(...events: ReadonlyArray<Arrival>) {
    return yield* store.accept(events, { at: 1000, room, jobs: [yield* threadJob(thread)] })
  })
  const waitingFor = (key: string) =>
    Effect.map(
      jobs.list({ owner: Owner.anyone, key }, { page: 1, limit: 10 }),
      ({ jobs }) => jobs.map(({ kind }) => kind)
    )
  return { accept, channel, store, thread, waitingFor }
})

export const suite = <E>(name: string, stores: Layer.Layer<ChannelStore | JobStore, E>) =>
  layer(stores, { excludeTestServices: true })(`ChannelStore, ${name}`, (it) => {
    it.effect("an event is stored once with the job of its conversation, and waits until it is handled", () =>
      Effect.gen(function*() {
        const { accept, channel, store, thread, waitingFor } = yield* made
        const [first, second] = [arrival(channel), arrival(channel, { thread: "T1" })]
        assert.strictEqual(yield* accept(first), 1)
        assert.strictEqual(yield* accept(first, second), 1)
        assert.deepStrictEqual(yield* waitingFor(`${channel}/T1`), ["channel_thread"])
        const next = Option.getOrThrow(yield* store.next(thread))
        const { seq: _, ...stored } = next
        assert.deepStrictEqual(stored, first)
        yield* store.handled(next, { at: 1001 })
        yield* store.handled(next, { at: 1001 })
        const behind = Option.getOrThrow(yield* store.next(thread))
        assert.deepStrictEqual(behind.event, second.event)
        yield* store.handled(behind, { at: 1001 })
        assert.isTrue(Option.isNone(yield* store.next(thread)))
        // another delivery of an event that was handled
        assert.strictEqual(yield* accept(first, second), 0)
        assert.isTrue(Option.isNone(yield* store.next(thread)))
      }))

    it.effect("events of another conversation and channel are not those of this one", () =>
      Effect.gen(function*() {
        const [one, other] = [yield* made, yield* made]
        const first = arrival(one.channel)
        yield* one.accept(first, arrival(one.channel, { thread: "T2" }))
        yield* other.accept(arrival(other.channel, { id: first.event.id }))
        const next = Option.getOrThrow(yield* one.store.next(one.thread))
        assert.strictEqual(next.event.id, first.event.id)
        yield* one.store.handled(next, { at: 1 })
        assert.isTrue(Option.isNone(yield* one.store.next(one.thread)))
        assert.isTrue(Option.isSome(yield* other.store.next(other.thread)))
        assert.isTrue(Option.isSome(yield* one.store.next({ ...one.thread, thread: "T2" })))
      }))

    it.effect("more events than there is room for are refused, all of one delivery", () =>
      Effect.gen(function*() {
        const { accept, channel } = yield* made
        const full = (...events: ReadonlyArray<Arrival>) =>
          Effect.map(Effect.flip(accept(...events)), ({ _tag }) => _tag)
        const first = arrival(channel)
        yield* accept(first, arrival(channel))
        // of the conversation
        assert.strictEqual(yield* full(arrival(channel), arrival(channel)), "ChannelFull")
        assert.strictEqual(yield* accept(arrival(channel)), 1)
        assert.strictEqual(yield* full(arrival(channel)), "ChannelFull")
        assert.strictEqual(yield* accept(first), 0)
        // of the person
        assert.strictEqual(yield* accept(arrival(channel, { thread: "T2" })), 1)
        assert.strictEqual(yield* full(arrival(channel, { thread: "T2" })), "ChannelFull")
        // of the channel
        const others = { thread: "T3", sender: { id: "U2" } }
        assert.strictEqual(yield* accept(arrival(channel, others)), 1)
        assert.strictEqual(yield* full(arrival(channel, { ...others, thread: "T4" })), "ChannelFull")
      }))

    it.effect("a person has one session in a conversation, which a later event can change", () =>
      Effect.gen(function*() {
        const { accept, channel, store, thread } = yield* made
        const of = { ...thread, user_id }
        assert.isTrue(Option.isNone(yield* store.sessionOf(of)))
        for (const session_id of ["one", "two"].map((id) => Session.Id.make(id))) {
          yield* accept(arrival(channel))
          const next = Option.getOrThrow(yield* store.next(thread))
          yield* store.handled(next, { at: 1, session: { user_id, session_id } })
          assert.deepStrictEqual(yield* store.sessionOf(of), Option.some(session_id))
        }
        assert.isTrue(Option.isNone(yield* store.sessionOf({ ...of, user_id: Ids.UserId.make("bob") })))
      }))

    it.effect("replies are written in their order, one for each cause, and keep what was posted", () =>
      Effect.gen(function*() {
        const { accept, channel, store, thread, waitingFor } = yield* made
        yield* accept(arrival(channel))
        const event = Option.getOrThrow(yield* store.next(thread))
        const texts = { ...thread, lane: "texts" } as const
        const [first, second] = [reply(channel, { user_id }), reply(channel)]
        yield* store.handled(event, { at: 1, replies: [{ row: first, job: yield* replyJob(first) }] })
        yield* store.reply({ row: reply(channel, { cause: first.cause }), job: yield* replyJob(first) })
        yield* store.reply({ row: second, job: yield* replyJob(second) })
        assert.deepStrictEqual(yield* waitingFor(`texts ${channel}/T1`), ["channel_reply"])
        const next = Option.getOrThrow(yield* store.nextReply(texts))
        const { cause: _, ...stored } = first
        assert.deepStrictEqual(next, { ...stored, seq: next.seq })
        yield* store.posted(first.id, [{ id: "m1" }, { id: null }])
        const posted = Option.getOrThrow(yield* store.nextReply(texts))
        assert.deepStrictEqual(posted.posts, [{ id: "m1" }, { id: null }])
        yield* store.written(first.id, { at: 2, error: null })
        const behind = Option.getOrThrow(yield* store.nextReply(texts))
        assert.strictEqual(behind.id, second.id)
        assert.strictEqual(behind.text, second.text)
        yield* store.written(second.id, { at: 2, error: "gone" })
        assert.isTrue(Option.isNone(yield* store.nextReply(texts)))
      }))

    it.effect("texts do not wait for the replies that show runs", () =>
      Effect.gen(function*() {
        const { channel, store, thread, waitingFor } = yield* made
        const { run_id, session_id } = arrival(channel)
        const run = { kind: "agent", id: "desk", run_id, session_id, after: 0 } as const
        const [shows, says] = [reply(channel, { run, text: null }), reply(channel)]
        for (const row of [shows, says]) yield* store.reply({ row, job: yield* replyJob(row) })
        assert.deepStrictEqual(yield* waitingFor(`runs ${channel}/T1`), ["channel_reply"])
        assert.strictEqual(Option.getOrThrow(yield* store.nextReply({ ...thread, lane: "texts" })).id, says.id)
        const next = Option.getOrThrow(yield* store.nextReply({ ...thread, lane: "runs" }))
        assert.deepStrictEqual([next.id, next.run], [shows.id, run])
      }))

    it.effect("a prompt is found until it is decided, and the last one of a conversation first", () =>
      Effect.gen(function*() {
        const { accept, channel, store, thread } = yield* made
        const [first, second] = [reply(channel), reply(channel)]
        for (const row of [first, second]) {
          yield* store.reply({ row, job: yield* replyJob({ ...thread, run: null, text: "" }) })
        }
        const pending: Pending = {
          question: "q",
          answers: [["p", { _tag: "Rejected" }]],
          choices: [],
          text: "?",
          after: 3
        }
        const [one, two] = [promptOf(first.id), promptOf(second.id)]
        const job = yield* pauseJob({ ...thread, run_id: Run.Id.make(newId("run")) })
        yield* store.pending(first.id, pending, job)
        const awaits = { choice: "answer", sender: "U1", values: { name: null } }
        yield* store.pending(second.id, { ...pending, awaits }, job)
        yield* store.written(second.id, { at: 1, error: null })
        const found = Option.getOrThrow(yield* store.asking(channel, one))
        assert.deepStrictEqual([found.id, found.pending, found.is_decided], [first.id, pending, false])
        const open = yield* store.askingIn(thread)
        assert.deepStrictEqual(open.map(({ id }) => id), [second.id, first.id])
        assert.deepStrictEqual(open[0]?.pending.awaits, awaits)
        const { run_id, session_id } = arrival(channel)
        const run = { kind: "agent", id: "desk", run_id, session_id, after: 0 } as const
        const third = reply(channel, { run, pending })
        yield* store.reply({ row: third, job: yield* replyJob(third) })
        assert.deepStrictEqual((yield* store.askingIn({ ...thread, run_id })).map(({ id }) => id), [third.id])
        yield* store.decided(third.id, { at: 1, replies: [] })
        assert.isTrue(Option.isNone(yield* store.asking(newId("channel"), one)))
        yield* accept(arrival(channel))
        const next = Option.getOrThrow(yield* store.next(thread))
        yield* store.handled(next, {
          at: 2,
          decided: second.id,
          asks: { id: first.id, pending: { ...pending, text: "Which one?" } }
        })
        assert.isTrue(Option.getOrThrow(yield* store.asking(channel, two)).is_decided)
        const left = yield* store.askingIn(thread)
        assert.deepStrictEqual(left.map(({ id, pending }) => [id, pending.text]), [[first.id, "Which one?"]])
        yield* store.decided(first.id, {
          at: 3,
          replies: [{ row: reply(channel), job: yield* replyJob({ ...thread, run: null, text: "" }) }]
        })
        assert.isTrue(Option.getOrThrow(yield* store.asking(channel, one)).is_decided)
        assert.deepStrictEqual(yield* store.askingIn(thread), [])
      }))

    it.effect("a conversation is found by its session, its thread and its person, for users who own it", () =>
      Effect.gen(function*() {
        const { accept, channel, store, thread } = yield* made
        const session_id = Session.Id.make(newId("session"))
        assert.isTrue(Option.isNone(yield* store.placeOf(session_id)))
        yield* accept(arrival(channel))
        const event = Option.getOrThrow(yield* store.next(thread))
        yield* store.handled(event, { at: 1001, session: { user_id, session_id } })
        const place = { channel, thread: "T1", sender: "U1", place: { thread: "T1" }, is_direct: true, user_id }
        const other = Ids.UserId.make("bob")
        assert.deepStrictEqual(yield* store.placeOf(session_id), Option.some(place))
        assert.deepStrictEqual(yield* store.placeIn(thread, Owner.anyone), Option.some(place))
        assert.deepStrictEqual(yield* store.placeIn(thread, Owner.user(user_id)), Option.some(place))
        assert.isTrue(Option.isNone(yield* store.placeIn(thread, Owner.user(other))))
        assert.deepStrictEqual(yield* store.directPlaceOf(channel, "U1", user_id), Option.some(place))
        assert.isTrue(Option.isNone(yield* store.directPlaceOf(channel, "U2", user_id)))
        assert.isTrue(Option.isNone(yield* store.directPlaceOf(channel, "U1", other)))
      }))

    it.effect("a message is sent once, while there is room, and shows what has become of it", () =>
      Effect.gen(function*() {
        const { channel, store } = yield* made
        const row = reply(channel, { user_id })
        const sending = { row: { ...row, cause: sentCause(row.id) }, job: yield* replyJob(row) }
        assert.isTrue(yield* store.send(sending, 1))
        assert.isFalse(yield* store.send({ ...sending, row: reply(channel) }, 1))
        assert.isTrue(yield* store.send(sending, 2))
        const shown = { id: row.id, thread: "T1", user_id, created_at: 1000, written_at: null, error: null }
        assert.deepStrictEqual(yield* store.sent(channel, row.id), Option.some(shown))
        yield* store.written(row.id, { at: 1002, error: "It was refused" })
        const written = { ...shown, written_at: 1002, error: "It was refused" }
        assert.deepStrictEqual(yield* store.sent(channel, row.id), Option.some(written))
        assert.isTrue(Option.isNone(yield* store.sent(newId("channel"), row.id)))
        // of an event
        const another = reply(channel)
        yield* store.reply({ row: another, job: sending.job })
        assert.isTrue(Option.isNone(yield* store.sent(channel, another.id)))
      }))

    it.effect("the health of a channel has what it did last, what waits, and the last failure of each kind", () =>
      Effect.gen(function*() {
        const { accept, channel, store } = yield* made
        const fresh = { last_event_at: null, last_post_at: null, waiting_events: 0, waiting_replies: 0, errors: [] }
        assert.deepStrictEqual(yield* store.health(channel), fresh)
        yield* accept(arrival(channel))
        const [first, second] = [reply(channel), reply(channel)]
        for (const row of [first, second]) yield* store.reply({ row, job: yield* replyJob(row) })
        yield* store.written(first.id, { at: 1003, error: null })
        yield* store.failed(channel, { kind: "post", message: "First", at: 1004 })
        yield* store.failed(channel, { kind: "receive", message: "Forged", at: 1005 })
        yield* store.failed(channel, { kind: "post", message: "Second", at: 1006 })
        assert.deepStrictEqual(yield* store.health(channel), {
          last_event_at: 1000,
          last_post_at: 1003,
          waiting_events: 1,
          waiting_replies: 1,
          errors: [
            { kind: "post", message: "Second", at: 1006 },
            { kind: "receive", message: "Forged", at: 1005 }
          ]
        })
      }))
  })
