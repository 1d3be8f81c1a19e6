// Secrets of webhooks in a database, with and without keys, and what a service says that lacks one.
import { assert, it } from "@effect/vitest"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import type { Declarable } from "@svc-runtime/features/declarations/DeclaredOption"
import * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import { WebhookStore } from "@svc-runtime/features/webhooks/WebhookStore"
import { type Key, keysOf, Secrets } from "@svc-runtime/http/calls/Secrets"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { at, get, list, post } from "../Wire.ts"

Tier.oneIn(4)

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const [first, second] = [keyOf(1), keyOf(2)]
const keysIn = (text: string) => Result.getOrThrow(keysOf(Redacted.make(text)))

interface Call {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Accepts what it is sent. */
const receiver = Effect.acquireRelease(
  Effect.promise(() => {
    const calls: Array<Call> = []
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        calls.push({ headers: request.headers, body: Buffer.concat(parts).toString() })
        response.writeHead(204).end()
      })
    })
    return new Promise<{ readonly server: typeof server; readonly calls: typeof calls }>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve({ server, calls }))
    )
  }),
  ({ server }) => Effect.sync(() => server.close().closeAllConnections())
)

/** Looks again until what it finds fits. */
const once = <A, E, R>(look: Effect.Effect<A, E, R>, isWanted: (found: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    look,
    (found) => isWanted(found) ? Effect.succeed(found) : Effect.andThen(Effect.sleep("10 millis"), once(look, isWanted))
  )

/** Services of one database, one after the other, and a receiver of their webhooks. */
const world = Effect.gen(function*() {
  const context = yield* Layer.build(TestDatabase.layer)
  const stores = Layer.merge(Layer.succeedContext(context), Notifications.layerNone)
  const { calls, server: http } = yield* receiver
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/`
  const store = yield* Effect.provideContext(WebhookStore, context)

  const serving = (keys?: string, declared?: Declarable) =>
    TestServer.make({
      stores,
      accounts: stores,
      declared,
      secretsKey: keys === undefined ? undefined : Redacted.make(keys),
      fetch: { allow: ["127.0.0.1"] }
    })

  /** The stored secrets of a webhook. */
  const storedOf = (id: string) =>
    Effect.map(
      store.target(Webhook.Id.make(id), 0),
      (target) => Option.getOrThrow(target).secrets.map((each) => Redacted.value(each))
    )

  /** The stored secrets, once they fit. */
  const storedOnce = (id: string, isWanted: (secrets: ReadonlyArray<string>) => boolean) => once(storedOf(id), isWanted)

  /** A webhook that a service with these keys has made. */
  const seeded = Effect.fnUntraced(function*(id: string, keys: ReadonlyArray<Key>) {
    const fields = { url, events: ["run.completed"] } as const
    const webhook = Webhook.make(fields, { at: 1, id: Webhook.Id.make(id), user_id: null })
    const secret = `whsec_${keyOf(9)}`
    const sealed = yield* Effect.provide(
      Secrets.use(({ seal }) => seal(Webhook.rowOf(webhook.id), Redacted.make(secret))),
      Layer.fresh(Secrets.layerOf(keys))
    )
    yield* store.create(webhook, Redacted.make(sealed), { all: 10, ofUser: 10 })
    return { secret, sealed }
  })

  return { calls, seeded, serving, storedOf, storedOnce, url }
})

const created = Effect.fnUntraced(function*(server: TestServer.TestServer, url: string) {
  const { json, status, text } = yield* post(server, "/webhooks", { url, events: ["run.completed"] })
  assert.strictEqual(status, 201, text)
  return { id: String(at(json, "id")), secret: String(at(json, "secret")) }
})

/** A delivery that is made for a test, once it fits. */
const tested = Effect.fnUntraced(function*(
  server: TestServer.TestServer,
  id: string,
  isWanted: (delivery: unknown) => boolean
) {
  const { json, status, text } = yield* post(server, `/webhooks/${id}/test`, {})
  assert.strictEqual(status, 202, text)
  const path = `/webhooks/${id}/deliveries/${String(at(json, "id"))}`
  return yield* once(Effect.map(get(server, path), ({ json }) => json), isWanted)
})

const hasSucceeded = (delivery: unknown) => at(delivery, "status") === "succeeded"
const hasError = (delivery: unknown) => at(delivery, "error") !== null

const isSigned = (call: Call | undefined, secret: string): boolean => {
  const [id, timestamp] = [call?.headers["webhook-id"], call?.headers["webhook-timestamp"]].map(String)
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${call?.body}`).digest("base64")
  return String(call?.headers["webhook-signature"]).split(" ").includes(`v1,${expected}`)
}

const errorsOf = (server: TestServer.TestServer) => server.logs.filter(({ level }) => level === "ERROR")

it.live("A secret is sealed when it is made, and calls are signed with it.", () =>
  Effect.gen(function*() {
    const { calls, serving, storedOf, url } = yield* world
    const declaredSecret = `whsec_${keyOf(7)}`
    const server = yield* serving(first, {
      webhooks: [{ name: "orders", url, events: ["run.failed"], secret: declaredSecret }]
    })
    const [declared] = list((yield* get(server, "/webhooks")).json, "data").map((each) => String(at(each, "id")))
    const { id, secret } = yield* created(server, url)
    const rotated = String(at((yield* post(server, `/webhooks/${id}/rotate-secret`, {})).json, "secret"))
    for (const text of [...yield* storedOf(id), ...yield* storedOf(declared ?? "")]) {
      assert.match(text, /^sealed:1:/)
    }
    yield* tested(server, id, hasSucceeded)
    for (const each of [secret, rotated]) assert.isTrue(isSigned(calls[0], each))
    yield* tested(server, declared ?? "", hasSucceeded)
    assert.isTrue(isSigned(calls[1], declaredSecret))
    const again = yield* serving(first, {
      webhooks: [{ name: "orders", url, events: ["run.failed"], secret: declaredSecret }]
    })
    assert.lengthOf(yield* storedOf(declared ?? ""), 1)
    assert.deepStrictEqual([...errorsOf(server), ...errorsOf(again)], [])
  }))

it.live("Secrets of before a key are sealed with it, and those of a replaced key with the new one.", () =>
  Effect.gen(function*() {
    const { calls, seeded, serving, storedOnce } = yield* world
    const plain = yield* seeded("plain", [])
    const old = yield* seeded("old", keysIn(first))
    assert.strictEqual(plain.sealed, plain.secret)
    const both = yield* serving(`${second},${first}`)
    for (const [id, { sealed }] of [["plain", plain], ["old", old]] as const) {
      const [text] = yield* storedOnce(id, ([text]) => text !== sealed)
      assert.match(text ?? "", /^sealed:1:/)
    }
    const server = yield* serving(second)
    for (const id of ["plain", "old"]) yield* tested(server, id, hasSucceeded)
    for (const call of calls) assert.isTrue(isSigned(call, plain.secret))
    assert.deepStrictEqual([...errorsOf(both), ...errorsOf(server)], [])
  }))

it.live("Without its key, deliveries of a webhook wait with the reason, and those of others are made.", () =>
  Effect.gen(function*() {
    const { calls, serving, storedOf, url } = yield* world
    const { id, secret } = yield* Effect.scoped(Effect.flatMap(serving(first), (server) => created(server, url)))
    const stored = yield* storedOf(id)
    // it ends before the next one: it would take deliveries that it cannot make
    yield* Effect.scoped(Effect.gen(function*() {
      const server = yield* serving(second)
      const other = yield* created(server, url)
      yield* tested(server, id, hasError)
      const delivery = yield* tested(server, id, hasError)
      assert.deepInclude(delivery as object, { status: "pending", attempts: 0, status_code: null })
      assert.match(String(at(delivery, "error")), /which SECRETS_KEY does not have/)
      yield* tested(server, other.id, hasSucceeded)
      assert.isTrue(isSigned(calls[0], other.secret))
      const shown = (yield* get(server, `/webhooks/${id}`)).json
      assert.deepInclude(shown as object, { enabled: true, failures: 0 })
      assert.match(String(at(shown, "secret_problem")), /which SECRETS_KEY does not have/)
      const problems = list((yield* get(server, "/webhooks")).json, "data").map((each) => at(each, "secret_problem"))
      assert.lengthOf(problems.filter((problem) => problem !== null), 1)
      const [line, ...more] = errorsOf(server)
      assert.match(line?.message ?? "", /^A stored secret cannot be used\. .* SECRETS_KEY does not have/)
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(yield* storedOf(id), stored)
    }))
    const mended = yield* serving(`${second},${first}`)
    yield* tested(mended, id, hasSucceeded)
    assert.isTrue(isSigned(calls.at(-1), secret))
  }))

it.live("A service without a key says at its start that secrets are sealed, and a replaced secret signs at once.", () =>
  Effect.gen(function*() {
    const { calls, seeded, serving } = yield* world
    yield* seeded("sealed", keysIn(first))
    const server = yield* serving()
    yield* once(Effect.sync(() => errorsOf(server)), ({ length }) => length > 0)
    const rotated = String(at((yield* post(server, "/webhooks/sealed/rotate-secret", {})).json, "secret"))
    yield* tested(server, "sealed", hasSucceeded)
    assert.isTrue(isSigned(calls[0], rotated))
    assert.lengthOf(errorsOf(server), 1)
  }))
