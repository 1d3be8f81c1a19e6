// Calls of webhooks, to a receiver that responds well and badly.
import { assert, layer } from "@effect/vitest"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { always, ask, at, failed, get, list, post, runWhole, send } from "../Wire.ts"

Tier.oneIn(10)

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How the receiver responds under a path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "/failing": (response) => response.writeHead(500).end(),
  "/redirecting": (response) => response.writeHead(307, { location: "/private" }).end(),
  "/silent": () => {},
  "/cut": (response) => response.destroy(),
  "/gone": (response) => response.writeHead(410).end(),
  "/endless": (response) => {
    response.writeHead(200)
    const write = () => {
      while (response.write("x".repeat(65_536)));
      response.once("drain", write)
    }
    write()
  }
}

const receiver = Effect.acquireRelease(
  Effect.promise(() => {
    const received: Array<Received> = []
    const mended = new Set<string>()
    const server = createServer((request, response) => {
      const parts: Array<Buffer> = []
      request.on("data", (part: Buffer) => parts.push(part))
      request.on("end", () => {
        const path = request.url ?? ""
        received.push({ path, headers: request.headers, body: Buffer.concat(parts).toString() })
        const answer = mended.has(path) ? undefined : answers[path]
        if (answer === undefined) response.writeHead(204).end()
        else answer(response)
      })
    })
    return new Promise<{ server: typeof server; received: typeof received; mended: typeof mended }>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve({ server, received, mended }))
    )
  }),
  ({ server }) => Effect.sync(() => server.close().closeAllConnections())
)

const serving = Effect.gen(function*() {
  const { mended, received, server: http } = yield* receiver
  const base = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { model } = yield* always(Script.text("Hello."))
  const other = DatabaseHandle.embedded({ id: "other-db", dataDir: "memory" })
  const server = yield* TestServer.make({
    agents: [
      ...["assistant", "quiet"].map((id) => Agent.make({ id, model })),
      Agent.make({ id: "elsewhere", model, db: other })
    ],
    webhooks: { attempts: 2, retrySeconds: 0, disableAfter: 2 },
    callTimeout: 2,
    fetch: {
      allow: ["127.0.0.1"],
      resolve: (_, answer) => answer(null, [{ address: "10.0.0.1", family: 4 }])
    }
  })
  return { base, mended, received, server }
})

class Serving extends Context.Service<Serving, Effect.Success<typeof serving>>()("@svc-runtime/server/test/Serving") {
  static readonly layer = Layer.effect(Serving, serving)
}

/** A webhook whose receiver responds as the path says. */
const made = Effect.fnUntraced(function*(path: string, fields: object = {}) {
  const { base, server } = yield* Serving
  const url = path.startsWith("http") ? path : `${base}${path}`
  const body = { url, events: ["run.completed"], component: { kind: "agent", id: "assistant" }, ...fields }
  const { json, status, text } = yield* post(server, "/webhooks", body)
  assert.strictEqual(status, 201, text)
  return { at: `/webhooks/${String(at(json, "id"))}`, secret: String(at(json, "secret")) }
})

const ran = Effect.fnUntraced(function*(agent: string) {
  const { server } = yield* Serving
  const answer = yield* runWhole(server, agent, { message: "Hi" })
  assert.strictEqual(answer.status, 200, answer.text)
  return String(at(answer.json, "run_id"))
})

const deliveriesOf = Effect.fnUntraced(function*(webhook: string) {
  const { server } = yield* Serving
  const answer = yield* get(server, `${webhook}/deliveries`)
  assert.strictEqual(answer.status, 200, answer.text)
  return list(answer.json, "data")
})

/** Waits until a webhook has a delivery of this status. */
const ended = Effect.fnUntraced(function*(webhook: string, status: string, count = 1) {
  for (;;) {
    const found = (yield* deliveriesOf(webhook)).filter((each) => at(each, "status") === status)
    if (found.length >= count) return found
    yield* Effect.sleep("20 millis")
  }
})

const receivedAt = Effect.map(
  Serving,
  ({ received }) => (path: string) => received.filter((each) => each.path === path)
)

const isSigned = ({ body, headers }: Received, secret: string): boolean => {
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])]
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  return String(headers["webhook-signature"]).split(" ").includes(`v1,${expected}`)
}

layer(Serving.layer, { excludeTestServices: true })("deliveries of webhooks", (it) => {
  it.effect("the end of a run is sent once, signed with the secret, and the delivery log has it", () =>
    Effect.gen(function*() {
      const { at: webhook, secret } = yield* made("/first")
      yield* ran("quiet")
      const run_id = yield* ran("assistant")
      const [delivery] = yield* ended(webhook, "succeeded")
      const received = (yield* receivedAt)("/first")
      assert.lengthOf(received, 1)
      const call = received[0] as Received
      assert.isTrue(isSigned(call, secret))
      assert.strictEqual(call.headers["content-type"], "application/json")
      assert.strictEqual(call.headers["webhook-id"], at(delivery, "event_id"))
      const body: unknown = JSON.parse(call.body)
      assert.deepStrictEqual(body, at(delivery, "payload"))
      assert.strictEqual(at(body, "type"), "run.completed")
      assert.deepInclude(at(body, "data"), {
        run_id,
        status: "COMPLETED",
        component: { kind: "agent", id: "assistant" }
      })
      assert.deepInclude(delivery as object, { event: "run.completed", attempts: 1, status_code: 204, error: null })
      assert.lengthOf(yield* deliveriesOf(webhook), 1)
    }))

  it.effect("a replaced secret signs beside the new one, and no response and no log line has them", () =>
    Effect.gen(function*() {
      const { server } = yield* Serving
      const { at: webhook, secret } = yield* made("/rotated")
      const rotated = yield* post(server, `${webhook}/rotate-secret`, {})
      const tested = yield* post(server, `${webhook}/test`, {})
      assert.strictEqual(tested.status, 202, tested.text)
      yield* ended(webhook, "succeeded")
      const [call] = (yield* receivedAt)("/rotated")
      for (const each of [secret, String(at(rotated.json, "secret"))]) {
        assert.isTrue(call !== undefined && isSigned(call, each))
      }
      assert.isFalse(call === undefined || isSigned(call, "whsec_b3RoZXI="))
      const texts = yield* Effect.forEach([webhook, "/webhooks", `${webhook}/deliveries`], (path) => get(server, path))
      assert.notInclude(JSON.stringify([texts.map(({ text }) => text), server.logs]), "whsec_")
    }))

  it.effect("a receiver that fails, redirects, is silent or cuts is called again, and delays no other one", () =>
    Effect.gen(function*() {
      const redirecting = yield* made("/redirecting")
      const [silent, cut] = [yield* made("/silent"), yield* made("/cut")]
      const inner = yield* made("http://inner.example/")
      const [endless, well] = [yield* made("/endless"), yield* made("/well")]
      yield* ran("assistant")
      for (const { at: webhook } of [well, endless]) yield* ended(webhook, "succeeded")
      for (
        const [{ at: webhook }, status_code, error] of [
          [redirecting, 307, "The receiver responded with 307, and redirects are not followed"],
          [cut, null, "the connection was closed"],
          [inner, null, "is not an address of the public internet"],
          [silent, null, "No response within 2 seconds (WEBHOOK_TIMEOUT)"]
        ] as const
      ) {
        const [delivery] = yield* ended(webhook, "failed")
        assert.deepInclude(delivery as object, { attempts: 2, status_code })
        assert.include(String(at(delivery, "error")), error)
      }
      const received = yield* receivedAt
      assert.lengthOf(received("/silent"), 2)
      const ids = received("/silent").map(({ headers }) => headers["webhook-id"])
      assert.strictEqual(ids[0], ids[1])
      assert.lengthOf(received("/private"), 0)
      const { server } = yield* Serving
      for (const { at: path } of [redirecting, silent, cut, inner, endless, well]) {
        assert.strictEqual((yield* ask(server, path, { method: "DELETE" })).status, 204)
      }
    }))

  it.effect("failed deliveries disable a webhook with the reason; a change enables it, and a delivery is repeated", () =>
    Effect.gen(function*() {
      const { mended, server } = yield* Serving
      const { at: webhook } = yield* made("/failing")
      yield* ran("assistant")
      yield* ran("assistant")
      const [delivery] = yield* ended(webhook, "failed", 2)
      const path = `${webhook}/deliveries/${String(at(delivery, "id"))}`
      let disabled = yield* get(server, webhook)
      while (at(disabled.json, "enabled") === true) disabled = yield* get(server, webhook)
      const reason = "2 deliveries in a row failed. The last one: The receiver responded with 500"
      assert.deepInclude(disabled.json as object, { disabled_reason: reason, failures: 2 })
      failed(yield* post(server, `${path}/redeliver`, {}), 409, "CONFLICT", "The webhook is disabled")
      failed(yield* post(server, `${webhook}/test`, {}), 409, "CONFLICT", "The webhook is disabled")
      mended.add("/failing")
      const enabled = yield* send(server, "PATCH", webhook, { enabled: true })
      assert.deepInclude(enabled.json as object, { enabled: true, disabled_reason: null, failures: 0 })
      assert.strictEqual((yield* post(server, `${path}/redeliver`, {})).status, 202)
      const [repeated] = yield* ended(webhook, "succeeded")
      assert.strictEqual(at(repeated, "id"), at(delivery, "id"))
      assert.deepStrictEqual((yield* get(server, path)).json, repeated)
      yield* ask(server, webhook, { method: "DELETE" })
    }))

  it.effect("an address that is gone disables its webhook at once", () =>
    Effect.gen(function*() {
      const { server } = yield* Serving
      const { at: webhook } = yield* made("/gone")
      yield* post(server, `${webhook}/test`, {})
      yield* ended(webhook, "failed")
      let disabled = yield* get(server, webhook)
      while (at(disabled.json, "enabled") === true) disabled = yield* get(server, webhook)
      assert.strictEqual(at(disabled.json, "disabled_reason"), "The receiver responded with 410")
    }))

  it.effect("a run of a schedule that failed is sent with its error, to webhooks without a component and a user", () =>
    Effect.gen(function*() {
      const { server } = yield* Serving
      const events = ["schedule.failed"]
      const { at: webhook } = yield* made("/schedules", { events, component: null })
      const { at: ofComponent } = yield* made("/of-component", { events: [...events, "run.failed"] })
      const { at: ofUser } = yield* made("/of-user", {
        events: [...events, "run.failed"],
        component: null,
        user_id: "ann"
      })
      const fields = {
        name: "Nightly",
        cron_expr: "0 0 1 1 *",
        endpoint: "/agents/assistant/runs",
        payload: { message: "Refused", user_id: "sa:none" }
      }
      const schedule = yield* post(server, "/schedules", fields)
      const schedule_id = String(at(schedule.json, "id"))
      const run = yield* post(server, `/schedules/${schedule_id}/trigger`, {})
      yield* ended(webhook, "succeeded")
      const [call] = (yield* receivedAt)("/schedules")
      const body: unknown = JSON.parse(call?.body ?? "")
      assert.strictEqual(at(body, "type"), "schedule.failed")
      assert.deepStrictEqual(at(body, "data"), {
        schedule_id,
        name: "Nightly",
        schedule_run_id: at(run.json, "id"),
        run_id: null,
        session_id: null,
        status: "failed",
        error: at(run.json, "error"),
        attempts: 1,
        disabled: false
      })
      for (const other of [ofComponent, ofUser]) assert.deepStrictEqual(yield* deliveriesOf(other), [])
      yield* ask(server, webhook, { method: "DELETE" })
    }))

  it.effect("a run in another database is sent, and a removed session takes its deliveries from the log", () =>
    Effect.gen(function*() {
      const { server } = yield* Serving
      const { at: webhook } = yield* made("/elsewhere", { component: { kind: "agent", id: "elsewhere" } })
      const run_id = yield* ran("elsewhere")
      const [delivery] = yield* ended(webhook, "succeeded")
      assert.strictEqual(at(delivery, "payload", "data", "run_id"), run_id)
      const path = `${webhook}/deliveries/${String(at(delivery, "id"))}`
      assert.strictEqual((yield* get(server, path)).status, 200)
      const session = `/sessions/${String(at(delivery, "payload", "data", "session_id"))}?db_id=other-db`
      assert.strictEqual((yield* ask(server, session, { method: "DELETE" })).status, 204)
      assert.deepStrictEqual(yield* deliveriesOf(webhook), [])
      assert.strictEqual((yield* get(server, path)).status, 404)
    }))
})
