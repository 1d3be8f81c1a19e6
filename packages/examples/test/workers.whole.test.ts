// A service with several processes on one port and one PostgreSQL (WORKERS). Real processes, a real database.
import { assert, layer } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Context, Effect, Layer, Redacted } from "effect"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { readUntil as readStream } from "./readUntil.ts"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const key = "the key of all workers"
const closed = { connection: "close", authorization: `Bearer ${key}` }

/** Each request has a connection of its own, and the workers get the connections in turn. */
const request = (url: string, init: RequestInit = {}) =>
  Effect.promise(() => fetch(url, { ...init, headers: { ...closed, ...init.headers } }))
const text = (url: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => Effect.promise(() => response.text()))
const json = (url: string, init?: RequestInit) => Effect.map(text(url, init), (body) => JSON.parse(body) as Json)
const readUntil = (url: string, wanted: string, init?: RequestInit) =>
  Effect.flatMap(request(url, init), (response) => readStream(response, wanted))

const form = (fields: Readonly<Record<string, string>>): RequestInit => ({
  method: "POST",
  body: new URLSearchParams(fields)
})

const path = "/agents/assistant/runs"

/** A service with two workers, and their process ids. */
const start = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
  const service = yield* ServiceProcess.start(quickstart, { NODE_NAME: "desk", PORT: "0", WORKERS: "2", ...env })
  const pidOf = Effect.fnUntraced(function*(worker: number) {
    const line = yield* service.saying(`Worker ${worker} serves. It is the process `)
    return Number(/the process (\d+)/.exec(line)?.[1])
  })
  yield* Effect.all([pidOf(1), pidOf(2)])
  return { ...service, pidOf }
})

class Desk extends Context.Service<Desk, {
  readonly provider: Effect.Success<typeof OpenAiChat.make>
  readonly env: Readonly<Record<string, string>>
  readonly service: Effect.Success<ReturnType<typeof start>>
}>()("@svc-runtime/examples/test/Desk") {
  static readonly layer = Layer.effect(
    Desk,
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.make
      const env = {
        DATABASE_URL: Redacted.value(yield* PostgresLayer.url),
        OS_SECURITY_KEY: key,
        MODEL: "openai-compatible:local",
        OPENAI_BASE_URL: provider.url,
        NODE_TIMEOUT: "6 seconds",
        SHUTDOWN_TIMEOUT: "1 second",
        DRAIN_TIMEOUT: "1 second"
      }
      return Desk.of({ provider, env, service: yield* start(env) })
    })
  )
}

const nodesOf = (url: string) =>
  Effect.map(json(`${url}/nodes`), (databases) => databases[0].nodes as ReadonlyArray<Json>)

/** The node that responds. */
const responding = (url: string) =>
  Effect.map(nodesOf(url), (nodes) => String(nodes.find((node) => node["is_this_node"])?.["node"]).split("#")[0])

const isSuccessor = (node: string, before: string) => node !== before && node.split("#")[0] === before.split("#")[0]

const refused = Effect.fnUntraced(function*(env: Readonly<Record<string, string>>) {
  const launched = yield* ServiceProcess.launch(quickstart, { PORT: "0", WORKERS: "2", MODEL: "demo", ...env })
  const code = yield* launched.ended
  return { code, fatal: launched.stdout().split("\n").filter((line) => line.includes("FATAL")) }
})

layer(Desk.layer, { excludeTestServices: true })("a service with two workers", (it) => {
  it.effect("all workers listen on one port, and each of them is a node with a name of its own", () =>
    Effect.gen(function*() {
      const { service: { stdout, url } } = yield* Desk
      const seen = yield* Effect.forEach([1, 2, 3, 4], () => responding(url))
      assert.deepStrictEqual([...new Set(seen)].toSorted(), ["desk-1", "desk-2"])
      assert.match(stdout(), /"node":"desk-1"[^\n]* listens on [^\n]*\n[^]*"node":"desk-2"[^\n]* listens on /)
    }))

  it.effect("a run that one worker executes is read, streamed and cancelled through the others", () =>
    Effect.gen(function*() {
      const { provider, service: { url } } = yield* Desk
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
      const started = yield* readUntil(url + path, "half", form({ message: "hi", session_id: "s", run_id: "s" }))
      const events = `${url}${path}/s/events?session_id=s`
      // one of the two has not the run
      const copies = yield* Effect.forEach([1, 2], () => readUntil(events, "half"))
      assert.deepStrictEqual(copies.map((copy) => copy.stream()), [started.stream(), started.stream()])
      const shown = yield* Effect.forEach([1, 2], () => json(`${url}${path}/s?session_id=s`))
      assert.deepStrictEqual(shown.map(({ status }) => status), ["RUNNING", "RUNNING"])
      yield* json(`${url}${path}/s/cancel`, { method: "POST" })
      const original = yield* started.rest
      assert.match(original, /event: RunCancelled\n/)
      for (const copy of copies) assert.strictEqual(yield* copy.rest, original)
    }))

  it.effect("the metrics of any worker have the series of all of them, and no counter goes back", () =>
    Effect.gen(function*() {
      const { service: { url } } = yield* Desk
      const counted = /^svc_http_requests_total\{(worker="\d",[^}]*)\} (\d+)/gm
      const scrape = Effect.map(text(`${url}/metrics/prometheus`), (scraped) => {
        assert.lengthOf(scraped.match(/^# TYPE process_resident_memory_bytes /gm) ?? [], 1)
        assert.lengthOf(scraped.match(/^process_resident_memory_bytes\{worker="[12]"\} /gm) ?? [], 2)
        return new Map([...scraped.matchAll(counted)].map(([, labels, count]) => [labels, Number(count)]))
      })
      yield* Effect.forEach([1, 2], () => text(`${url}/info`))
      let before = yield* scrape
      for (const after of yield* Effect.forEach([1, 2, 3, 4], () => scrape)) {
        for (const [labels, count] of before) assert.isAtLeast(after.get(labels) ?? -1, count, labels)
        before = after
      }
      assert.deepStrictEqual([...before.keys()].filter((labels) => labels?.includes("/info")).length, 2)
    }))

  it.effect("a session of MCP works through every worker, and ends at all of them", () =>
    Effect.gen(function*() {
      const { service: { url } } = yield* Desk
      const send = (session: string | undefined, body: object) =>
        request(`${url}/mcp`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...(session === undefined ? {} : { "mcp-session-id": session })
          },
          body: JSON.stringify({ jsonrpc: "2.0", ...body })
        })
      const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const begun = yield* send(undefined, { id: 0, method: "initialize", params })
      const session = begun.headers.get("mcp-session-id") ?? ""
      const tools = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, id) => id + 1),
        (id) =>
          Effect.flatMap(send(session, { id, method: "tools/list" }), (response) =>
            Effect.promise(() => response.text())),
        { concurrency: 4 }
      )
      assert.deepStrictEqual(
        tools.filter((each) =>
          each.includes("run_agent")
        ).length,
        20
      )
      yield* request(`${url}/mcp`, { method: "DELETE", headers: { "mcp-session-id": session } })
      const after = yield* Effect.forEach([1, 2, 3, 4], (id) => send(session, { id, method: "ping" }))
      assert.deepStrictEqual(after.map(({ status }) => status), [404, 404, 404, 404])
    }))

  it.effect("every worker accepts the requests that schedules of the service send to itself", () =>
    Effect.gen(function*() {
      const { service: { url } } = yield* Desk
      const schedule = { name: "Look", cron_expr: "0 0 1 1 *", endpoint: "/agents", method: "GET" }
      const headers = { "content-type": "application/json" }
      const made = yield* json(`${url}/schedules`, { method: "POST", headers, body: JSON.stringify(schedule) })
      const triggered = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () => json(`${url}/schedules/${made["id"]}/trigger`, { method: "POST" })
      )
      assert.deepStrictEqual([...new Set(triggered.map(({ status }) => status))], ["success"])
    }))

  it.effect("a worker that is killed is replaced, and its runs continue", () =>
    Effect.gen(function*() {
      const { provider, service: { pidOf, saying, url } } = yield* Desk
      yield* provider.script(
        Reply.broken("stall", 2, { text: ["half", " an answer"] }),
        Reply.text("a whole", " answer")
      )
      const begun = yield* readUntil(url + path, "half", form({ message: "hi", session_id: "k", run_id: "k" }))
      const node = (yield* nodesOf(url)).find(({ runs }) => runs === 1)?.["node"] as string
      const number = Number(/desk-(\d)#/.exec(node)?.[1])
      process.kill(yield* pidOf(number), "SIGKILL")
      yield* saying(`Worker ${number} has ended with signal SIGKILL. It is started again`)
      const copy = yield* text(`${url}${path}/k/events?session_id=k`)
      assert.isTrue(copy.startsWith(begun.stream()), copy)
      assert.match(copy, /event: RunContinued\n[^]*event: RunCompleted\n[^]*a whole answer/)
      // the new one has the name of the old one, and is another node
      const replaced = yield* Effect.repeat(nodesOf(url), {
        until: (nodes) => nodes.some((each) => each["state"] === "alive" && isSuccessor(each["node"], node))
      })
      assert.isAbove(replaced.length, 1)
    }))

  it.effect("SIGTERM stops all workers in order, and the service ends when they have ended", () =>
    Effect.gen(function*() {
      const { env, provider } = yield* Desk
      const { end, pid, pidOf, url } = yield* start({ ...env, NODE_NAME: "leaving" })
      const stall = Reply.broken("stall", 2, { text: ["half", " an answer"] })
      yield* provider.script(stall, stall)
      const streams = yield* Effect.forEach(
        ["a", "b"],
        (run) => readUntil(url + path, "half", form({ message: "hi", session_id: run, run_id: run }))
      )
      const pids = [pid, yield* pidOf(1), yield* pidOf(2)]
      assert.strictEqual(yield* end("SIGTERM"), 0)
      for (const { rest } of streams) assert.match(yield* rest, /event: error\ndata: [^\n]*The service is stopping/)
      assert.deepStrictEqual(pids.filter((each) => existsSync(`/proc/${each}`)), [])
    }))

  it.effect("a database that cannot be used is logged once, and ends the service with an exit code", () =>
    Effect.gen(function*() {
      const { env } = yield* Desk
      const url = new URL(env["DATABASE_URL"] ?? "")
      url.pathname = "/missing"
      const { code, fatal } = yield* refused({ DATABASE_URL: url.href })
      assert.strictEqual(code, 1)
      assert.strictEqual(fatal.length, 1, fatal.join("\n"))
      assert.match(fatal[0] ?? "", /The service stops: [^\n]*database \\?"missing\\?" does not exist/)
    }))

  it.effect("the embedded database is refused with what to set, because it belongs to one process", () =>
    Effect.gen(function*() {
      const { code, fatal } = yield* refused({})
      assert.strictEqual(code, 1)
      assert.strictEqual(fatal.length, 1, fatal.join("\n"))
      assert.match(fatal[0] ?? "", /belongs to one process\. Set DATABASE_URL to a PostgreSQL that they share, or /)
    }))

  it.effect("a number of workers that cannot be read is refused", () =>
    Effect.gen(function*() {
      const { code, fatal } = yield* refused({ WORKERS: "many" })
      assert.strictEqual(code, 1)
      assert.match(fatal[0] ?? "", /WORKERS=many: expected auto for one process per core, or a number/)
    }))
})
