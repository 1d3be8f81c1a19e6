// The quickstart as a user has it: a process, its port, its directory, and what is left of it after every way to end.
import { assert, describe, it } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc/testing"
import * as OpenAiChat from "@svc/testing/wire/OpenAiChat"
import { Effect, type Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import * as http from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

const directory = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-quickstart-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  ),
  (path) => join(path, "data")
)

const start = (dataDir: string, env: Readonly<Record<string, string>> = {}) =>
  ServiceProcess.start(quickstart, { DATA_DIR: dataDir, PORT: "0", MODEL: "demo", ...env })

/** With a model that a test speaks for, and the same name after every start. */
const local = (url: string) => ({
  MODEL: "openai-compatible:local",
  OPENAI_BASE_URL: url,
  NODE_NAME: "quickstart-under-test"
})

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const request = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))
const get = (url: string) =>
  Effect.flatMap(request(url), (response) => Effect.promise(() => response.json() as Promise<Json>))

/** What is answered to a page whose name leads to this machine. */
const statusUnder = (url: string, host: string) =>
  Effect.callback<number | undefined>((resume) => {
    http.get(url, { headers: { host } }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    })
  })

const formOf = (fields: Readonly<Record<string, string>>) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  return form
}

const runPath = "/agents/assistant/runs"
const ask = (base: string, fields: Readonly<Record<string, string>>) =>
  Effect.flatMap(
    request(base + runPath, { method: "POST", body: formOf({ stream: "false", ...fields }) }),
    (response) => Effect.promise(() => response.json() as Promise<Json>)
  )

const live = (name: string, test: () => Effect.Effect<void, unknown, Scope.Scope>) =>
  it.live(name, () => Effect.scoped(test()), 60_000)

describe("the quickstart, as a process", () => {
  live("answers with a tool, keeps the session, and has it after a restart", () =>
    Effect.gen(function*() {
      const dataDir = yield* directory
      const first = yield* start(dataDir)
      const run = yield* ask(first.url, { message: "What is 17 times 23?", session_id: "s", user_id: "ann" })
      assert.strictEqual(run["status"], "COMPLETED")
      assert.strictEqual(run["tools"][0].tool_name, "calculate")
      assert.match(run["content"], /391/)
      const stream = yield* request(first.url + runPath, {
        method: "POST",
        body: formOf({ message: "What time is it in Tokyo?", session_id: "s", user_id: "ann" })
      })
      const text = yield* Effect.promise(() => stream.text())
      assert.match(text, /^event: RunStarted\nid: 0\n/)
      assert.match(text, /event: RunCompleted\n/)
      assert.include(text, "Asia/Tokyo")
      const before = yield* get(`${first.url}/sessions/s`)
      assert.strictEqual(yield* statusUnder(`${first.url}/sessions/s`, "localhost"), 200)
      assert.strictEqual(yield* statusUnder(`${first.url}/sessions/s`, "evil.test"), 403)
      assert.strictEqual(yield* first.end("SIGTERM"), 0)

      const second = yield* start(dataDir)
      const after = yield* get(`${second.url}/sessions/s`)
      assert.deepStrictEqual(after, before)
      assert.strictEqual(after["user_id"], "ann")
      assert.isAbove(after["total_tokens"], 0)
    }))

  live(
    "makes an agent for the tenant that a request names, and after kill -9 goes on with one that is made for the same tenant",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* directory
        const provider = yield* OpenAiChat.make
        yield* provider.script(
          Reply.text("Tea."),
          Reply.broken("stall", 1, { text: ["half ", "an answer"] }),
          Reply.text("Milk.")
        )
        const env = local(provider.url)
        const path = "/agents/tenant-assistant/runs"
        const first = yield* start(dataDir, env)
        const send = (fields: Readonly<Record<string, string>>) =>
          request(first.url + path, { method: "POST", body: formOf({ message: "?", session_id: "s", ...fields }) })
        const acme = { factory_input: `{"tenant":"acme"}` }
        const answered = yield* send({ ...acme, stream: "false" })
        const { agent_name } = yield* Effect.promise(() => answered.json() as Promise<Json>)
        assert.strictEqual(agent_name, "Assistant of acme")
        const refused = yield* send({ factory_input: `{"tenant":5}` })
        assert.deepStrictEqual([refused.status, refused.headers.get("content-type")], [400, "application/json"])
        assert.match(
          yield* Effect.promise(() => refused.text()),
          /^{"detail":"factory_input validation failed: tenant: /
        )
        yield* Effect.forkScoped(send({ ...acme, run_id: "killed" }))
        yield* provider.awaitRequest
        yield* provider.awaitRequest
        assert.strictEqual(yield* first.end("SIGKILL"), "SIGKILL")

        const second = yield* start(dataDir, env)
        const ended = yield* Effect.repeat(get(`${second.url}${path}/killed?session_id=s`), {
          until: ({ status }) => status !== "RUNNING"
        })
        assert.deepInclude(ended, { status: "COMPLETED", content: "Milk.", agent_name: "Assistant of acme" })
      })
  )

  live(
    "has every answered run after kill -9, and goes on with the one it was killed in",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* directory
        const provider = yield* OpenAiChat.make
        yield* provider.script(
          Reply.text("Tea."),
          Reply.broken("stall", 1, { text: ["half ", "an answer"] }),
          Reply.text("Milk.")
        )
        const env = local(provider.url)
        const first = yield* start(dataDir, env)
        const answered = yield* ask(first.url, { message: "what?", session_id: "s" })
        assert.strictEqual(answered["content"], "Tea.")
        yield* Effect.forkScoped(ask(first.url, { message: "and?", session_id: "s", run_id: "killed" }))
        yield* provider.awaitRequest
        yield* provider.awaitRequest
        assert.strictEqual(yield* first.end("SIGKILL"), "SIGKILL")

        const second = yield* start(dataDir, env)
        yield* Effect.repeat(get(`${second.url}${runPath}/killed?session_id=s`), {
          until: ({ status }) => status === "COMPLETED"
        })
        const runs = (yield* get(`${second.url}${runPath}?session_id=s`)) as unknown as ReadonlyArray<Json>
        assert.deepStrictEqual(runs.map((run) => [run["run_input"], run["content"], run["status"]]), [
          ["what?", "Tea.", "COMPLETED"],
          ["and?", "Milk.", "COMPLETED"]
        ])
      })
  )

  live(
    "keeps all that a run had shown when it is killed, and shows whoever watches on after the restart how it goes on",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* directory
        const provider = yield* OpenAiChat.make
        yield* provider.script(
          Reply.broken("stall", 2, { text: ["half", " an answer"] }),
          Reply.text("a whole", " answer")
        )
        const env = local(provider.url)
        const first = yield* start(dataDir, env)
        const names = { message: "hi", session_id: "s", run_id: "killed" }
        const response = yield* request(first.url + runPath, { method: "POST", body: formOf(names) })
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        let streamed = ""
        while (!streamed.includes("half")) streamed += (yield* Effect.promise(() => reader.read())).value ?? ""
        assert.strictEqual(yield* first.end("SIGKILL"), "SIGKILL")

        const second = yield* start(dataDir, env)
        const eventsUrl = `${second.url}${runPath}/killed/events?session_id=s`
        const kept = yield* Effect.flatMap(request(eventsUrl), (answer) => Effect.promise(() => answer.text()))
        const frames = kept.split("\n\n").filter((frame) => frame !== "")
        assert.isTrue(kept.startsWith(streamed), `${kept}\n---\n${streamed}`)
        assert.deepStrictEqual(
          frames.map((frame) => /id: (\d+)/.exec(frame)?.[1]),
          frames.map((_, index) => String(index))
        )
        assert.isTrue(frames.some((frame) => frame.startsWith("event: RunContinued\n")))
        assert.match(frames.at(-1) ?? "", /^event: RunCompleted\n[^]*a whole answer/)
        const rest = yield* Effect.flatMap(
          request(eventsUrl, { headers: { "last-event-id": "0" } }),
          (answer) => Effect.promise(() => answer.text())
        )
        assert.strictEqual(rest, kept.slice(kept.indexOf("\n\n") + 2))
      })
  )

  live("lets a running request finish after SIGTERM, and accepts no other", () =>
    Effect.gen(function*() {
      const dataDir = yield* directory
      const provider = yield* OpenAiChat.make
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
      const env = { MODEL: "openai-compatible:local", OPENAI_BASE_URL: provider.url, MODEL_TIMEOUT: "1 second" }
      const service = yield* start(dataDir, env)
      const response = yield* request(service.url + runPath, { method: "POST", body: formOf({ message: "hi" }) })
      const reader = response.body?.getReader()
      yield* Effect.promise(async () => reader?.read())
      yield* service.signal("SIGTERM")
      const rest = yield* Effect.promise(async () => {
        let text = ""
        for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
          text += new TextDecoder().decode(part.value)
        }
        return text
      })
      assert.match(rest, /event: RunError\n/)
      assert.strictEqual(yield* service.ended, 0)
    }))

  live("ends at once on a second signal", () =>
    Effect.gen(function*() {
      const dataDir = yield* directory
      const provider = yield* OpenAiChat.make
      yield* provider.script(Reply.broken("stall", 1, { text: ["half"] }))
      const service = yield* start(dataDir, { MODEL: "openai-compatible:local", OPENAI_BASE_URL: provider.url })
      yield* Effect.forkScoped(ask(service.url, { message: "hi" }))
      yield* provider.awaitRequest
      yield* service.signal("SIGTERM")
      yield* service.saying("A second signal")
      assert.strictEqual(yield* service.end("SIGTERM"), 130)
    }))

  live("refuses a directory that another process uses, and says which", () =>
    Effect.gen(function*() {
      const dataDir = yield* directory
      const first = yield* start(dataDir)
      const refused = yield* Effect.flip(start(dataDir))
      assert.include(refused.message, String(first.pid))
      assert.include(refused.message, "DATA_DIR")
    }))

  live("refuses what it could not protect, and says what to do", () =>
    Effect.gen(function*() {
      const dataDir = yield* directory
      const wide = yield* Effect.flip(start(dataDir, { HOST: "0.0.0.0" }))
      assert.include(wide.message, "ALLOW_OPEN=true")
      const keyless = yield* Effect.flip(start(dataDir, { AUTHORIZATION: "true" }))
      assert.include(keyless.message, "JWT_VERIFICATION_KEY")
      const unusable = yield* Effect.flip(start(dataDir, { JWT_VERIFICATION_KEY: "hunter2" }))
      assert.include(unusable.message, "JWT_VERIFICATION_KEY cannot be used")
      assert.notInclude(unusable.message, "hunter2")
      const port = yield* Effect.flip(start(dataDir, { PORT: "many" }))
      assert.include(port.message, "PORT")
    }))

  live("says that a port is taken", () =>
    Effect.gen(function*() {
      const first = yield* start(yield* directory)
      const port = new URL(first.url).port
      const refused = yield* Effect.flip(start(yield* directory, { PORT: port }))
      assert.include(refused.message, port)
    }))

  live("answers a run whose model cannot be had with what to set", () =>
    Effect.gen(function*() {
      const service = yield* start(yield* directory, { MODEL: "openai:gpt-5" })
      const run = yield* ask(service.url, { message: "hi" })
      assert.strictEqual(run["status"], "ERROR")
      assert.include(run["content"], "OPENAI_API_KEY")
    }))
})
