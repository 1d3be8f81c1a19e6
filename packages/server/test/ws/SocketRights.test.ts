// The rights of a socket over time: its token is authenticated anew for each message and for each event that it is
// shown.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import { ServiceAccountStore } from "@svc-runtime/auth"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { AuthorizationOptions } from "@svc-runtime/http/authorization/AuthorizationOptions"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Deferred, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { claims, closed, theIssuer } from "../authorization/Closed.ts"
import { at, second } from "../Wire.ts"
import { open } from "./SocketClient.ts"

Tier.oneIn(3)

const key = "the key of the service"
const admin = { authorization: `Bearer ${key}`, "content-type": "application/json" }

/** A workflow that waits until it is let go. */
const served = Effect.fnUntraced(function*(authorization: AuthorizationOptions, options: TestServer.Options = {}) {
  yield* TestClock.setTime(second * 1000)
  const gate = yield* Deferred.make<void>()
  const gated = Workflow.make({
    id: "gated",
    steps: [Step.make({ name: "wait", run: () => Effect.as(Deferred.await(gate), "SECRET") })]
  })
  const server = yield* TestServer.listen({ workflows: [gated], authorization, ...options })
  const client = yield* open(server.url)
  yield* client.next
  return { ...server, client, release: Deferred.succeed(gate, undefined) }
})

const mint = Effect.fnUntraced(function*(url: string) {
  const body = JSON.stringify({ name: "nightly" })
  const answer = yield* Effect.promise(() =>
    fetch(`${url}/service-accounts`, { method: "POST", headers: admin, body }).then((response) => response.json())
  )
  const { id, token } = answer as { readonly id: string; readonly token: string }
  const revoke = Effect.promise(() => fetch(`${url}/service-accounts/${id}`, { method: "DELETE", headers: admin }))
  return { token, revoke }
})

const authenticate = Effect.fnUntraced(function*(client: Effect.Success<ReturnType<typeof open>>, token: string) {
  assert.strictEqual(at(yield* client.ask({ action: "authenticate", token }), "event"), "authenticated")
  assert.strictEqual(at(yield* client.next, "event"), "authenticated")
})

const start = { action: "start-workflow", workflow_id: "gated", message: "go", session_id: "s", run_id: "r" }
const runs = (url: string) =>
  Effect.promise(() => fetch(`${url}/sessions?type=workflow`, { headers: admin }).then((response) => response.json()))

const revoked = { event: "auth_error", error: "Invalid or expired service account token" }

describe("a socket whose account is revoked", () => {
  it.effect("a socket of a revoked account is closed with 1008 at its next message, and the message has no effect", () =>
    Effect.gen(function*() {
      const { client, url } = yield* served({ securityKey: key })
      const account = yield* mint(url)
      yield* authenticate(client, account.token)
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
      yield* account.revoke
      assert.deepStrictEqual(yield* client.ask(start), revoked)
      assert.deepStrictEqual(yield* client.closed, { code: 1008, reason: revoked.error })
      assert.deepStrictEqual(at(yield* runs(url), "data"), [])
    }))

  it.effect("a socket of a revoked account is shown no further event of a run that it follows", () =>
    Effect.gen(function*() {
      const { client, release, url } = yield* served({ securityKey: key })
      const account = yield* mint(url)
      yield* authenticate(client, account.token)
      yield* client.send(start)
      while (at(yield* client.next, "event") !== "StepStarted");
      yield* account.revoke
      yield* release
      assert.deepStrictEqual(yield* client.next, revoked)
      assert.strictEqual((yield* client.closed).code, 1008)
    }))

  it.effect("a run is followed with the token that began it, also after the socket has authenticated with another", () =>
    Effect.gen(function*() {
      const { client, release, url } = yield* served({ securityKey: key })
      const account = yield* mint(url)
      yield* authenticate(client, account.token)
      yield* client.send(start)
      while (at(yield* client.next, "event") !== "StepStarted");
      assert.strictEqual(at(yield* client.ask({ action: "authenticate", token: key }), "event"), "authenticated")
      yield* account.revoke
      yield* release
      assert.deepStrictEqual(yield* client.next, revoked)
      assert.strictEqual((yield* client.closed).code, 1008)
    }))

  it.effect("a silent socket of a revoked account is closed within half a minute", () =>
    Effect.gen(function*() {
      const { client, url } = yield* served({ securityKey: key })
      const account = yield* mint(url)
      yield* authenticate(client, account.token)
      yield* account.revoke
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* client.closed).code, 1008)
    }))

  it.effect("a socket of a revoked account may authenticate with another token before its next message", () =>
    Effect.gen(function*() {
      const { client, url } = yield* served({ securityKey: key })
      const account = yield* mint(url)
      yield* authenticate(client, account.token)
      yield* account.revoke
      assert.strictEqual(at(yield* client.ask({ action: "authenticate", token: key }), "event"), "authenticated")
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))
})

describe("a socket whose role is deleted", () => {
  it.effect("a socket whose role is deleted is shown no further event of a run that it follows", () =>
    Effect.gen(function*() {
      const { client, release, url } = yield* served({ ...yield* closed, securityKey: key })
      const issuer = yield* theIssuer
      const headers = {
        authorization: `Bearer ${yield* issuer.sign(claims("root", ["platform:admin"]))}`,
        "content-type": "application/json"
      }
      const body = JSON.stringify({ name: "runner", scopes: ["workflows:run", "workflows:read"] })
      const made = yield* Effect.promise(() => fetch(`${url}/roles`, { method: "POST", headers, body }))
      assert.strictEqual(made.status, 201)
      yield* authenticate(client, yield* issuer.sign(claims("ann", ["role:runner"])))
      yield* client.send(start)
      while (at(yield* client.next, "event") !== "StepStarted");
      yield* Effect.promise(() => fetch(`${url}/roles/runner`, { method: "DELETE", headers }))
      yield* release
      const reason = "Insufficient permissions to run this workflow"
      assert.deepStrictEqual(yield* client.next, { event: "auth_error", error: reason })
      assert.deepStrictEqual(yield* client.closed, { code: 1008, reason })
    }))
})

describe("a socket whose token expires", () => {
  it.effect("a socket whose token expires is closed with 1008 at its next message", () =>
    Effect.gen(function*() {
      const { client } = yield* served(yield* closed)
      const issuer = yield* theIssuer
      yield* authenticate(client, yield* issuer.sign({ ...claims("ann", ["workflows:run"]), exp: second + 60 }))
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
      yield* TestClock.adjust("55 seconds")
      yield* client.send({ action: "ping" })
      assert.deepStrictEqual(yield* client.closed, { code: 1008, reason: "Token has expired" })
    }))
})

describe("a socket whose account cannot be read", () => {
  it.effect("a socket whose account cannot be read does nothing, and stays open until the database is back", () =>
    Effect.gen(function*() {
      const store = Context.get(yield* Layer.build(Layer.fresh(TestDatabase.layer)), ServiceAccountStore)
      let isAway = false
      const accounts = Layer.succeed(ServiceAccountStore, {
        ...store,
        findByHash: (hash) =>
          Effect.suspend(() => isAway ? Effect.fail(new StorageUnavailable({ cause: "away" })) : store.findByHash(hash))
      })
      const { client, url } = yield* served({ securityKey: key }, { accounts })
      yield* authenticate(client, (yield* mint(url)).token)
      isAway = true
      assert.deepStrictEqual(yield* client.ask(start), {
        event: "auth_error",
        error: "Authentication is temporarily unavailable"
      })
      isAway = false
      assert.deepStrictEqual(yield* client.ask({ action: "ping" }), { event: "pong" })
    }))
})
