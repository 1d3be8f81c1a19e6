// Two services on one PostgreSQL: what one of them runs can be watched, waited for and cancelled through the other, and
// what one of them revokes is refused by the other. Real processes, a real database.
import { assert, layer } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import { readUntil as readStream } from "./readUntil.ts"
import * as SharedProcesses from "./sharedProcesses.ts"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))
const key = "the key of both services"
const authorization = { authorization: `Bearer ${key}` }

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const request = (url: string, init: RequestInit = {}) =>
  Effect.promise(() => fetch(url, { ...init, headers: { ...authorization, ...init.headers } }))
const text = (url: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => Effect.promise(() => response.text()))
const json = (url: string, init?: RequestInit) => Effect.map(text(url, init), (body) => JSON.parse(body) as Json)

const form = (
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {}
): RequestInit => ({
  method: "POST",
  headers,
  body: new URLSearchParams(fields)
})

type NodeName = "one" | "other" | "leaving"

/** Two services that all tests share. The tests that end one come last. */
class Nodes extends Context.Service<Nodes, {
  readonly provider: Effect.Success<typeof OpenAiChat.make>
  readonly node: (name: NodeName) => Effect.Effect<ServiceProcess.ServiceProcess, ServiceProcess.ServiceDidNotStart>
}>()("@svc-runtime/examples/test/Nodes") {
  static readonly layer = Layer.effect(
    Nodes,
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.make
      const env = {
        DATABASE_URL: Redacted.value(yield* PostgresLayer.url),
        OS_SECURITY_KEY: key,
        MODEL: "openai-compatible:local",
        OPENAI_BASE_URL: provider.url,
        PORT: "0",
        NODE_TIMEOUT: "6 seconds",
        SHUTDOWN_TIMEOUT: "1 second"
      }
      const node = yield* SharedProcesses.make((name: NodeName) => {
        // one that waits for a request when it is stopped does not end before the test does
        const more = name === "leaving" ? { SHUTDOWN_TIMEOUT: "1 hour" } : {}
        return ServiceProcess.start(quickstart, { ...env, ...more, NODE_NAME: name })
      })
      return Nodes.of({ provider, node })
    })
  )
}

const pair = Effect.gen(function*() {
  const { node, provider } = yield* Nodes
  const [one, other] = yield* Effect.all([node("one"), node("other")], { concurrency: "unbounded" })
  return { provider, one, other, node }
})

const readUntil = (url: string, wanted: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => readStream(response, wanted))

const path = "/agents/assistant/runs"

layer(Nodes.layer, { excludeTestServices: true })("two nodes on one database", (it) => {
  it.effect("two nodes share their runs: either one watches, waits for and cancels runs of the other", () =>
    Effect.gen(function*() {
      const { one, other, provider } = yield* pair
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
      const names = { message: "hi", session_id: "shared", run_id: "shared" }
      const started = yield* readUntil(one.url + path, "half", form(names))
      const watched = yield* readUntil(`${other.url}${path}/shared/events?session_id=shared`, "half")
      assert.strictEqual(watched.stream(), started.stream())
      assert.deepStrictEqual(yield* json(`${other.url}${path}/shared/cancel`, { method: "POST" }), {})
      const [original, copy] = [yield* started.rest, yield* watched.rest]
      assert.strictEqual(copy, original)
      assert.match(original, /event: RunCancelled\n[^]*"content":"half/)
      assert.strictEqual((yield* json(`${other.url}${path}/shared?session_id=shared`))["status"], "CANCELLED")

      yield* provider.script(Reply.text("Tea."))
      const sent = form({ message: "what?", session_id: "t", stream: "false" }, { "idempotency-key": "k" })
      const answers = yield* Effect.all([json(one.url + path, sent), json(other.url + path, sent)], {
        concurrency: "unbounded"
      })
      assert.strictEqual(answers[0]["content"], "Tea.")
      assert.strictEqual(answers[1]["run_id"], answers[0]["run_id"])
      assert.strictEqual(answers[1]["content"], "Tea.")
    }))

  it.effect("a node refuses at the next request what the other one has revoked", () =>
    Effect.gen(function*() {
      const { one, other } = yield* pair
      const made = yield* json(`${one.url}/service-accounts`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "bot", scopes: ["agents:read"] })
      })
      const status = (url: string) =>
        Effect.map(
          request(`${url}/agents`, { headers: { authorization: `Bearer ${made["token"]}` } }),
          (response) => response.status
        )
      assert.deepStrictEqual([yield* status(one.url), yield* status(other.url)], [200, 200])
      yield* request(`${one.url}/service-accounts/${made["id"]}`, { method: "DELETE" })
      assert.deepStrictEqual([yield* status(other.url), yield* status(one.url)], [401, 401])
    }))

  /** A run that the first node executes, watched through the other one. */
  const running = Effect.fnUntraced(function*(run: string) {
    const nodes = yield* pair
    yield* nodes.provider.script(
      Reply.broken("stall", 2, { text: ["half", " an answer"] }),
      Reply.text("a whole", " answer")
    )
    const names = { message: "hi", session_id: run, run_id: run }
    const started = yield* readUntil(nodes.one.url + path, "half", form(names))
    const watched = yield* readUntil(`${nodes.other.url}${path}/${run}/events?session_id=${run}`, "half")
    const rest = Effect.map(watched.rest, (copy) => {
      assert.isTrue(copy.startsWith(started.stream()), copy)
      const indexes = [...copy.matchAll(/^id: (\d+)$/gm)].map(([, index]) => Number(index))
      assert.deepStrictEqual(indexes, indexes.map((_, index) => index))
      assert.match(copy, /event: RunContinued\n[^]*event: RunCompleted\n[^]*a whole answer/)
      return copy
    })
    return { ...nodes, rest }
  })

  it.effect("a node shows how the run of a killed node resumes on it when that node is back in time", () =>
    Effect.gen(function*() {
      const { node, one, rest } = yield* running("back")
      assert.strictEqual(yield* one.end("SIGKILL"), "SIGKILL")
      yield* node("one")
      yield* rest
    }))

  it.effect("a node that is stopped ends at once the streams of another node's runs and of the runs queued behind them, and they continue there", () =>
    Effect.gen(function*() {
      const { node, one, provider } = yield* pair
      const leaving = yield* node("leaving")
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }), Reply.text("Tea."))
      const names = { message: "hi", session_id: "left", run_id: "left" }
      const started = yield* readUntil(one.url + path, "half", form(names))
      const events = `${path}/left/events?session_id=left`
      const watched = yield* readUntil(leaving.url + events, "half")
      // it waits for the first one
      const queued = yield* Effect.forkChild(text(leaving.url + path, form({ ...names, run_id: "behind" })))
      const behind = json(`${one.url}${path}/behind?session_id=left`)
      yield* Effect.repeat(behind, { until: ({ status }) => status === "PENDING" })
      assert.strictEqual(yield* leaving.end("SIGTERM"), 0)
      assert.match(yield* Fiber.join(queued), /event: error\ndata: [^\n]*The service is stopping/)
      const seen = yield* watched.rest
      assert.match(seen, /event: error\ndata: [^\n]*The service is stopping[^]*$/)
      const last = [...seen.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? ""
      yield* json(`${one.url}${path}/left/cancel`, { method: "POST" })
      const whole = yield* started.rest
      const rest = yield* text(one.url + events, { headers: { "last-event-id": last } })
      assert.strictEqual(seen.slice(0, seen.indexOf("event: error")) + rest, whole)
      const ended = yield* Effect.repeat(behind, {
        until: ({ status }) => status !== "PENDING" && status !== "RUNNING"
      })
      assert.deepInclude(ended, { status: "COMPLETED", content: "Tea." })
    }))

  it.effect("nodes hand their runs over when they are stopped", () =>
    Effect.gen(function*() {
      const { one, rest } = yield* running("stopped")
      yield* one.signal("SIGTERM")
      yield* one.signal("SIGTERM")
      yield* one.ended
      yield* rest
    }))

  it.effect("a node shows how it resumes the run of a killed node after NODE_TIMEOUT", () =>
    Effect.gen(function*() {
      const { one, other, rest } = yield* running("gone")
      assert.strictEqual(yield* one.end("SIGKILL"), "SIGKILL")
      yield* rest
      assert.strictEqual((yield* json(`${other.url}${path}/gone?session_id=gone`))["status"], "COMPLETED")
    }))
})
