import { assert, layer } from "@effect/vitest"
import * as Migrations from "@svc-runtime/postgres/Migrations"
import * as SqlJobStore from "@svc-runtime/postgres/SqlJobStore"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { replyJob, threadJob } from "../ChannelJobs.ts"
import { ChannelStore } from "../ChannelStore.ts"
import * as SqlChannelStore from "../SqlChannelStore.ts"
import * as ChannelStoreSuite from "./ChannelStoreSuite.ts"

const stores = Layer.mergeAll(SqlChannelStore.layer, SqlJobStore.layer).pipe(
  Layer.provide(Migrations.layer),
  Layer.provideMerge(PgliteLayer.layer)
)

layer(stores, { excludeTestServices: true })("SqlChannelStore", (it) => {
  it.effect("an event and a reply that cannot be read are stored as failed, and those behind them follow", () =>
    Effect.gen(function*() {
      const [store, sql] = [yield* ChannelStore, yield* SqlClient.SqlClient]
      const channel = newId("channel")
      const thread = { channel, thread: "T1" }
      const events = [1, 2].map(() => ChannelStoreSuite.arrival(channel))
      yield* store.accept(events, { at: 1, room: ChannelStoreSuite.room, jobs: [yield* threadJob(thread)] })
      const replies = [1, 2].map(() => ChannelStoreSuite.reply(channel))
      for (const row of replies) yield* store.reply({ row, job: yield* replyJob(row) })
      yield* sql`update svc_channel_events set event = '{"type": "secret"}' where event_id = ${events[0]!.event.id}`
      yield* sql`update svc_channel_replies set posts = '"secret"' where id = ${replies[0]!.id}`
      assert.strictEqual(Option.getOrThrow(yield* store.next(thread)).event.id, events[1]!.event.id)
      assert.strictEqual(Option.getOrThrow(yield* store.nextReply({ ...thread, lane: "texts" })).id, replies[1]!.id)
      const failed = yield* sql`
        select error from svc_channel_events where channel = ${channel} and handled_at is not null
        union all select error from svc_channel_replies where channel = ${channel} and written_at is not null`
      assert.deepStrictEqual<unknown>(failed, [{ error: "It cannot be read" }, { error: "It cannot be read" }])
    }))

  it.effect("what is over is removed after a time, and what waits stays", () =>
    Effect.gen(function*() {
      const [store, sql] = [yield* ChannelStore, yield* SqlClient.SqlClient]
      const channel = newId("channel")
      const thread = { channel, thread: "T1" }
      const events = [1, 2].map(() => ChannelStoreSuite.arrival(channel))
      yield* store.accept(events, { at: 1, room: ChannelStoreSuite.room, jobs: [yield* threadJob(thread)] })
      const user_id = userId()
      const next = Option.getOrThrow(yield* store.next(thread))
      yield* store.handled(next, { at: 1, session: { user_id, session_id: next.session_id } })
      const [written, unwritten] = [ChannelStoreSuite.reply(channel), ChannelStoreSuite.reply(channel)]
      for (const row of [written, unwritten]) yield* store.reply({ row, job: yield* replyJob(row) })
      yield* store.written(written.id, { at: 1, error: null })
      const left = sql`
        select 'event' as what from svc_channel_events where channel = ${channel}
        union all select 'reply' from svc_channel_replies where channel = ${channel}
        union all select 'session' from svc_channel_sessions where channel = ${channel}`
      const hundredYears = 100 * 365 * 86_400
      yield* SqlChannelStore.prune(sql)(hundredYears)
      assert.strictEqual((yield* left).length, 5)
      yield* SqlChannelStore.prune(sql)(86_400)
      assert.deepStrictEqual<unknown>(yield* left, [{ what: "event" }, { what: "reply" }])
      assert.isTrue(Option.isNone(yield* store.sessionOf({ ...thread, user_id })))
    }))
})
