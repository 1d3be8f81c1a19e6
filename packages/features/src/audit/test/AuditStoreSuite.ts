// What every `AuditStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Change } from "@svc-runtime/http/authorization/ChangeRecorder"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer } from "effect"
import { AuditStore } from "../AuditStore.ts"

export const change = (fields: Partial<Change> = {}): Change => ({
  actor: userId(),
  credential: "jwt",
  action: "DELETE /schedules/:schedule_id",
  subject_kind: "schedules",
  subject_id: newId("schedule"),
  path: "/schedules/1",
  request_id: "request-1",
  ...fields
})

const page = { page: 1, limit: 10 }

export const suite = <E>(name: string, stores: Layer.Layer<AuditStore, E>) =>
  layer(stores, { excludeTestServices: true })(`AuditStore, ${name}`, (it) => {
    it.effect("a change is in the log before it has ended, and has its status and subject after it", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const actor = newId("user")
        const owner = Owner.user(userId(actor))
        const begun = change({ actor, subject_id: "" })
        const id = yield* store.begin(begun, 1_000)
        const entry = { ...begun, id, at: 1_000, counts: null }
        assert.deepStrictEqual((yield* store.list({}, owner, page)).entries, [{ ...entry, status: null }])
        yield* store.end(id, { status: 201, subject_ids: ["new-1"] })
        const ended = { ...entry, status: 201, subject_id: "new-1" }
        assert.deepStrictEqual((yield* store.list({}, owner, page)).entries, [ended])
        yield* store.end(id, { status: 409, subject_ids: [] })
        assert.deepStrictEqual(yield* store.after(0, {}, owner, 10), [{ ...ended, status: 409 }])
      }))

    it.effect("a change of many has an entry for each, and one with their number if they are not named", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const actor = newId("user")
        const owner = Owner.user(userId(actor))
        const begun = change({ actor, subject_id: "" })
        yield* store.end(yield* store.begin(begun, 1_000), { status: 204, subject_ids: ["a", "b", "c"] })
        const counts = { sessions: 500 }
        yield* store.end(yield* store.begin(begun, 2_000), { status: 204, subject_ids: [], counts })
        const found = (yield* store.after(0, {}, owner, 10)).map(({ id: _, ...entry }) => entry)
        const entry = { ...begun, at: 1_000, counts: null, status: 204 }
        assert.deepStrictEqual(found, [
          ...["a", "b", "c"].map((subject_id) => ({ ...entry, subject_id })),
          { ...entry, at: 2_000, counts }
        ])
      }))

    it.effect("a list has the newest first, and an export the oldest", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const actor = newId("user")
        const owner = Owner.user(userId(actor))
        const ids = yield* Effect.forEach([1, 2, 3], (at) => store.begin(change({ actor }), at))
        const first = yield* store.list({}, owner, { page: 1, limit: 2 })
        assert.deepStrictEqual([first.entries.map(({ id }) => id), first.total], [ids.toReversed().slice(0, 2), 3])
        const past = yield* store.list({}, owner, { page: 9, limit: 2 })
        assert.deepStrictEqual([past.entries, past.total], [[], 3])
        const after = yield* store.after(ids[0]!, {}, owner, 1)
        assert.deepStrictEqual(after.map(({ id }) => id), ids.slice(1, 2))
      }))

    it.effect("each filter leaves out the changes that differ", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const [actor, other] = [newId("user"), newId("user")]
        const kept = yield* store.begin(change({ actor, subject_id: "s-1" }), 10)
        yield* store.begin(change({ actor: other, subject_id: "s-1" }), 10)
        yield* store.begin(change({ actor, subject_id: "s-2", subject_kind: "webhooks", request_id: "r-2" }), 20)
        const found = (filter: Parameters<typeof store.list>[0]) =>
          Effect.map(store.list({ actor, ...filter }, Owner.anyone, page), ({ entries }) => entries.map(({ id }) => id))
        for (
          const filter of [
            { subject_id: "s-1" },
            { subject_kind: "schedules" },
            { request_id: "request-1" },
            { until: 10 },
            { since: 5, until: 19 }
          ]
        ) {
          assert.deepStrictEqual(yield* found(filter), [kept], JSON.stringify(filter))
        }
        assert.deepStrictEqual(yield* found({ since: 30 }), [])
      }))

    it.effect("an isolated caller gets the own changes, and a caller without a name gets none", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const request_id = newId("request")
        yield* store.begin(change({ actor: newId("user"), request_id }), 1)
        yield* store.begin(change({ actor: null, request_id }), 1)
        const totals = yield* Effect.forEach(
          [Owner.anyone, Owner.user(userId(newId("user"))), Owner.none],
          (owner) => Effect.map(store.list({ request_id }, owner, page), ({ total }) => total)
        )
        assert.deepStrictEqual(totals, [2, 0, 0])
      }))

    it.effect("characters that a database does not have are replaced", () =>
      Effect.gen(function*() {
        const store = yield* AuditStore
        const actor = newId("user")
        yield* store.begin(change({ actor, subject_id: "a \u0000" }), 1)
        const { entries } = yield* store.list({}, Owner.user(userId(actor)), page)
        assert.deepStrictEqual(entries.map(({ subject_id }) => subject_id), ["a \ufffd"])
      }))
  })
