// Two services on one PostgreSQL: what one of them runs can be watched, waited for and cancelled through the other, and
// what one of them revokes is refused by the other. Real processes, a real database.
import { assert, describe, it } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc/testing"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as OpenAiChat from "@svc/testing/wire/OpenAiChat"
import { Effect, Redacted } from "effect"
import { fileURLToPath } from "node:url"

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

const pair = Effect.gen(function*() {
  const provider = yield* OpenAiChat.make
  const databaseUrl = Redacted.value(yield* PostgresLayer.url)
  const env = {
    DATABASE_URL: databaseUrl,
    OS_SECURITY_KEY: key,
    MODEL: "openai-compatible:local",
    OPENAI_BASE_URL: provider.url,
    PORT: "0",
    NODE_TIMEOUT: "3 seconds",
    SHUTDOWN_TIMEOUT: "1 second"
  }
  const start = (name: string) => ServiceProcess.start(quickstart, { ...env, NODE_NAME: name })
  return { provider, one: yield* start("one"), other: yield* start("other"), start }
})

/** Reads a stream until it has said something. */
const readUntil = Effect.fnUntraced(function*(url: string, said: string, init?: RequestInit) {
  const reader = (yield* request(url, init)).body!.pipeThrough(new TextDecoderStream()).getReader()
  let stream = ""
  const read = Effect.map(Effect.promise(() => reader.read()), ({ done, value = "" }) => {
    stream += value
    return done
  })
  yield* Effect.repeat(read, { until: (done) => done || stream.includes(said) })
  return { stream: () => stream, rest: Effect.map(Effect.repeat(read, { until: (done) => done }), () => stream) }
})

const path = "/agents/assistant/runs"

describe("two nodes on one database", () => {
  it.live(
    "share their runs: either one watches, waits for and cancels what the other one runs",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { one, other, provider } = yield* pair
        yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
        const names = { message: "hi", session_id: "s", run_id: "r" }
        const started = yield* readUntil(one.url + path, "half", form(names))
        const watched = yield* readUntil(`${other.url}${path}/r/events?session_id=s`, "half")
        assert.strictEqual(watched.stream(), started.stream())
        assert.deepStrictEqual(yield* json(`${other.url}${path}/r/cancel`, { method: "POST" }), {})
        const [original, copy] = [yield* started.rest, yield* watched.rest]
        assert.strictEqual(copy, original)
        assert.match(original, /event: RunCancelled\n[^]*"content":"half/)
        assert.strictEqual((yield* json(`${other.url}${path}/r?session_id=s`))["status"], "CANCELLED")

        yield* provider.script(Reply.text("Tea."))
        const sent = form({ message: "what?", session_id: "t", stream: "false" }, { "idempotency-key": "k" })
        const answers = yield* Effect.all([json(one.url + path, sent), json(other.url + path, sent)], {
          concurrency: "unbounded"
        })
        assert.strictEqual(answers[0]["content"], "Tea.")
        assert.strictEqual(answers[1]["run_id"], answers[0]["run_id"])
        assert.strictEqual(answers[1]["content"], "Tea.")
      })),
    60_000
  )

  /** A run that one of them is in the middle of, watched through the other. */
  const underWay = Effect.gen(function*() {
    const nodes = yield* pair
    yield* nodes.provider.script(
      Reply.broken("stall", 2, { text: ["half", " an answer"] }),
      Reply.text("a whole", " answer")
    )
    const started = yield* readUntil(
      nodes.one.url + path,
      "half",
      form({ message: "hi", session_id: "s", run_id: "r" })
    )
    const watched = yield* readUntil(`${nodes.other.url}${path}/r/events?session_id=s`, "half")
    const rest = Effect.map(watched.rest, (copy) => {
      assert.isTrue(copy.startsWith(started.stream()), copy)
      const indexes = [...copy.matchAll(/^id: (\d+)$/gm)].map(([, index]) => Number(index))
      assert.deepStrictEqual(indexes, indexes.map((_, index) => index))
      assert.match(copy, /event: RunContinued\n[^]*event: RunCompleted\n[^]*a whole answer/)
      return copy
    })
    return { ...nodes, rest }
  })

  it.live(
    "show those who watch through one how a run goes on whose node was killed: on the other one, when that has said nothing for a while",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const { one, other, rest } = yield* underWay
        assert.strictEqual(yield* one.end("SIGKILL"), "SIGKILL")
        yield* rest
        assert.strictEqual((yield* json(`${other.url}${path}/r?session_id=s`))["status"], "COMPLETED")
      })),
    60_000
  )

  it.live("or on the killed one, when it is back before that", () =>
    Effect.scoped(Effect.gen(function*() {
      const { one, rest, start } = yield* underWay
      assert.strictEqual(yield* one.end("SIGKILL"), "SIGKILL")
      yield* start("one")
      yield* rest
    })), 60_000)

  it.live("hand their runs over when they are told to end", () =>
    Effect.scoped(Effect.gen(function*() {
      const { one, rest } = yield* underWay
      yield* one.signal("SIGTERM")
      yield* one.signal("SIGTERM")
      yield* one.ended
      yield* rest
    })), 60_000)

  it.live("refuse with their next request what the other one has revoked", () =>
    Effect.scoped(Effect.gen(function*() {
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
    })), 60_000)
})
