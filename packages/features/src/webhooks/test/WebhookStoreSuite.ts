// What every `WebhookStore` has to do.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import { newId, userId } from "@svc-runtime/test-support/suites/Samples"
import { Effect, type Layer, Option, Redacted, Result } from "effect"
import * as SecretRows from "../../secrets/SecretRows.ts"
import * as Webhook from "../Webhook.ts"
import { WebhookStore } from "../WebhookStore.ts"

export const webhook = (fields: Partial<Webhook.Webhook> = {}): Webhook.Webhook => ({
  id: Webhook.Id.make(newId("webhook")),
  url: "https://receiver.example/svc",
  description: null,
  events: ["run.completed", "run.failed"],
  component: { kind: "agent", id: "assistant" },
  user_id: null,
  enabled: true,
  disabled_reason: null,
  failures: 0,
  dropped: 0,
  created_at: 1_000,
  updated_at: null,
  ...fields
})

export const secret = Redacted.make("whsec_c2VjcmV0")

export const room = { all: 1_000_000, ofUser: 2 }

const keys = Result.getOrThrow(keysOf(Redacted.make(Buffer.alloc(32, 1).toString("base64"))))

/** All rows without the newest form. */
const oldOf = Effect.fnUntraced(function*(store: WebhookStore["Service"]) {
  const { form } = yield* Secrets
  const rows: Array<SecretRows.SecretRow> = []
  for (;;) {
    const page = yield* store.oldSecrets(form, rows.at(-1)?.seq ?? 0)
    rows.push(...page)
    if (page.length < SecretRows.pageSize) return rows
  }
})

const page = { page: 1, limit: 1000 }
const anyone = Owner.anyone

const created = Effect.fnUntraced(function*(fields: Partial<Webhook.Webhook> = {}) {
  const store = yield* WebhookStore
  const one = webhook(fields)
  assert.isTrue(yield* store.create(one, secret, room))
  return { one, store }
})

export const suite = <E>(name: string, stores: Layer.Layer<WebhookStore, E>) =>
  layer(stores, { excludeTestServices: true })(`WebhookStore, ${name}`, (it) => {
    it.effect("a webhook is read and listed as it was stored, without its secret", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ description: "a text" })
        const { one: other } = yield* created({ component: null })
        assert.deepStrictEqual(yield* store.find(one.id, anyone), Option.some(one))
        const { webhooks } = yield* store.list(anyone, page)
        assert.deepStrictEqual(webhooks.filter(({ id }) => id === one.id || id === other.id), [other, one])
      }))

    it.effect("a webhook of another owner is not found, listed, changed or removed", () =>
      Effect.gen(function*() {
        const [ann, bob] = [userId(), userId()]
        const { one, store } = yield* created({ user_id: ann })
        for (const owner of [Owner.user(bob), Owner.none]) {
          assert.deepStrictEqual(yield* store.find(one.id, owner), Option.none())
          assert.deepStrictEqual(yield* store.list(owner, page), { webhooks: [], total: 0 })
          assert.deepStrictEqual(yield* store.patch(one.id, owner, { description: "b" }, 2_000), Option.none())
          assert.isFalse(yield* store.rotate(one.id, owner, { secret, previousUntil: 9, at: 2_000 }))
          assert.isFalse(yield* store.remove(one.id, owner))
        }
        assert.deepStrictEqual(yield* store.list(Owner.user(ann), page), { webhooks: [one], total: 1 })
      }))

    it.effect("a change stores what it names, and one that enables removes the reason and the failures", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created({ enabled: false, disabled_reason: "It failed", failures: 5 })
        const changed = { ...one, description: "b", component: null, updated_at: 2_000 }
        const patched = yield* store.patch(one.id, anyone, { description: "b", component: null }, 2_000)
        assert.deepStrictEqual(patched, Option.some(changed))
        const enabled = { ...changed, enabled: true, disabled_reason: null, failures: 0, updated_at: 3_000 }
        assert.deepStrictEqual(yield* store.patch(one.id, anyone, { enabled: true }, 3_000), Option.some(enabled))
        assert.deepStrictEqual(yield* store.find(one.id, anyone), Option.some(enabled))
      }))

    it.effect("a user has as many webhooks as there is room for, also when they are made at once", () =>
      Effect.gen(function*() {
        const store = yield* WebhookStore
        const user_id = userId()
        const make = Effect.suspend(() => store.create(webhook({ user_id }), secret, room))
        const made = yield* Effect.all([make, make, make, make], { concurrency: "unbounded" })
        assert.strictEqual(made.filter((isNew) => isNew).length, room.ofUser)
        assert.isFalse(yield* store.create(webhook(), secret, { all: 1, ofUser: 1 }))
      }))

    it.effect("an event matches the enabled webhooks that want it, of its user and of its component", () =>
      Effect.gen(function*() {
        const user_id = userId()
        const own = { user_id, component: null }
        const [wanted, ofComponent] = [
          yield* created(own),
          yield* created({ component: { kind: "team", id: user_id } })
        ]
        yield* created({ user_id, component: null, enabled: false })
        const { store } = wanted
        const found = (event: Parameters<typeof store.matching>[0], user: typeof user_id | null) =>
          Effect.map(
            store.matching(event, user),
            (ids) => ids.filter((id) => id === wanted.one.id || id === ofComponent.one.id)
          )
        const team = { kind: "team", id: user_id } as const
        const type = "run.failed"
        assert.deepStrictEqual(yield* found({ type, component: team }, user_id), [wanted.one.id, ofComponent.one.id])
        assert.deepStrictEqual(yield* found({ type, component: team }, userId()), [ofComponent.one.id])
        assert.deepStrictEqual(yield* found({ type, component: { ...team, kind: "agent" } }, null), [])
        assert.deepStrictEqual(yield* found({ type: "run.paused", component: team }, user_id), [])
        assert.includeMembers([...(yield* store.wanted())], ["run.completed", "run.failed"])
      }))

    it.effect("a replaced secret signs beside the new one until its time", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const next = Redacted.make("whsec_bmV4dA==")
        assert.isTrue(yield* store.rotate(one.id, anyone, { secret: next, previousUntil: 3_000, at: 2_000 }))
        const signing = (at: number) =>
          Effect.map(store.target(one.id, at), (found) => Option.getOrThrow(found).secrets.map(Redacted.value))
        assert.deepStrictEqual(yield* signing(2_999), [next, secret].map(Redacted.value))
        assert.deepStrictEqual(yield* signing(3_000), [Redacted.value(next)])
        assert.deepStrictEqual(yield* store.target(webhook().id, 1), Option.none())
      }))

    it.effect("secrets without the newest form are listed, and sealed in it if nothing has changed them", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const { one: changed } = yield* created()
        yield* store.rotate(one.id, anyone, {
          secret: Redacted.make("whsec_bmV4dA=="),
          previousUntil: 3_000,
          at: 2_000
        })
        const ours = (rows: ReadonlyArray<SecretRows.SecretRow>) =>
          [one, changed].map(({ id }) => rows.find(({ row }) => row === Webhook.rowOf(id)))
        const [both, early] = ours(yield* oldOf(store))
        assert.deepStrictEqual(both?.secrets, ["whsec_bmV4dA==", "whsec_c2VjcmV0"])
        assert.deepStrictEqual(early?.secrets, ["whsec_c2VjcmV0", null])
        yield* store.rotate(changed.id, anyone, { secret, previousUntil: 3_000, at: 2_000 })
        assert.isFalse(early !== undefined && (yield* store.replaceSecrets(early, ["lost", null])))

        yield* SecretRows.reseal(store)
        const { form, open } = yield* Secrets
        assert.deepStrictEqual(ours(yield* oldOf(store)), [undefined, undefined])
        assert.deepStrictEqual(ours(yield* store.oldSecrets(undefined, 0)).map((row) => row?.secrets.length), [2, 2])
        const target = Option.getOrThrow(yield* store.target(one.id, 2_999))
        for (const [index, text] of ["whsec_bmV4dA==", "whsec_c2VjcmV0"].entries()) {
          const stored = Redacted.value(target.secrets[index] ?? secret)
          assert.isTrue(stored.startsWith(form ?? "none"))
          assert.strictEqual(Redacted.value(yield* open(Webhook.rowOf(one.id), stored)), text)
        }
        assert.strictEqual(yield* SecretRows.reseal(store), 0)
      }).pipe(Effect.provide(Secrets.layerOf(keys))))

    it.effect("the webhooks of a user are disabled with the reason, and those of others are not", () =>
      Effect.gen(function*() {
        const user_id = userId()
        const { one, store } = yield* created({ user_id })
        const failed = { enabled: false, disabled_reason: "It failed" }
        const others = [yield* created({ user_id, ...failed }), yield* created({ user_id: userId() }), yield* created()]
        const because = { at: 2_000, reason: "The account was revoked" }
        const enabled = yield* store.disableAll(user_id, because)
        assert.isAbove(enabled, 0)
        assert.strictEqual(yield* store.disableAll(user_id, because), 0)
        const disabled = { ...one, enabled: false, disabled_reason: "The account was revoked", updated_at: 2_000 }
        assert.deepStrictEqual(yield* store.find(one.id, anyone), Option.some(disabled))
        for (const other of others) {
          assert.deepStrictEqual(yield* store.find(other.one.id, anyone), Option.some(other.one))
        }
      }))

    it.effect("failures in a row disable a webhook with the reason, and a success begins again", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        const failure = { at: 2_000, limit: 2, reason: "It failed twice" }
        assert.isFalse(yield* store.failed(one.id, failure))
        yield* store.succeeded(one.id)
        assert.isFalse(yield* store.failed(one.id, failure))
        assert.isTrue(yield* store.failed(one.id, failure))
        assert.isFalse(yield* store.failed(one.id, failure))
        yield* store.dropped(one.id)
        const changed = { enabled: false, disabled_reason: failure.reason, failures: 2, dropped: 1, updated_at: 2_000 }
        assert.deepStrictEqual(yield* store.find(one.id, anyone), Option.some({ ...one, ...changed }))
      }))

    it.effect("a removed webhook is gone", () =>
      Effect.gen(function*() {
        const { one, store } = yield* created()
        assert.isTrue(yield* store.remove(one.id, anyone))
        assert.isFalse(yield* store.remove(one.id, anyone))
        assert.deepStrictEqual(yield* store.find(one.id, anyone), Option.none())
      }))
  })
