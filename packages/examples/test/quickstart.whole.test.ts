// The quickstart as a user has it: a process, its port, its directory, and what is left of it after every way to end.
import { assert, describe, layer } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import * as OtlpReceiver from "@svc-runtime/test-support/otlp/OtlpReceiver"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Context, Effect, Layer, type Scope } from "effect"
import * as http from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { readUntil } from "./readUntil.ts"
import * as SharedProcesses from "./sharedProcesses.ts"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

const start = (dataDir: string, env: Readonly<Record<string, string>> = {}) =>
  ServiceProcess.start(quickstart, { DATA_DIR: dataDir, PORT: "0", MODEL: "demo", ...env })

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

/** Two services, each before and after its process has ended once. */
class Quickstart extends Context.Service<Quickstart, {
  readonly newDirectory: string
  readonly provider: Effect.Success<typeof OpenAiChat.make>
  readonly service: (
    name: "new" | "restarted" | "killed" | "resumed"
  ) => Effect.Effect<ServiceProcess.ServiceProcess, ServiceProcess.ServiceDidNotStart>
}>()("@svc-runtime/examples/test/Quickstart") {
  static readonly layer = Layer.effect(
    Quickstart,
    Effect.gen(function*() {
      const newDirectory = join(yield* TemporaryDirectory.make, "data")
      const directory = yield* TemporaryDirectory.withDatabase
      const provider = yield* OpenAiChat.make
      // a model that a test speaks for, and the same name after every start
      const local = {
        MODEL: "openai-compatible:local",
        OPENAI_BASE_URL: provider.url,
        NODE_NAME: "quickstart-under-test"
      }
      const service = yield* SharedProcesses.make((name: "new" | "restarted" | "killed" | "resumed") => {
        if (name === "new") return start(newDirectory)
        return name === "restarted" ? start(newDirectory, { MODEL: "openai:gpt-5" }) : start(directory, local)
      })
      return Quickstart.of({ newDirectory, provider, service })
    })
  )
}

layer(Quickstart.layer, { excludeTestServices: true })("the quickstart, as a process", (it) => {
  const live = (name: string, test: () => Effect.Effect<void, unknown, Quickstart | Scope.Scope>) =>
    it.effect(name, () => Effect.scoped(test()))

  live(
    "an uploaded document is found by a search, and the assistant answers from it with its source, without a key",
    () =>
      Effect.gen(function*() {
        const { service } = yield* Quickstart
        const { url } = yield* service("new")
        const text_content = "Fill in the form for holidays two weeks before."
        const body = formOf({ name: "holidays", text_content })
        const accepted = yield* request(`${url}/knowledge/content`, { method: "POST", body })
        assert.strictEqual(accepted.status, 202)
        const { id } = yield* Effect.promise(() => accepted.json() as Promise<Json>)
        yield* Effect.sleep("100 millis").pipe(
          Effect.andThen(get(`${url}/knowledge/content/${id}/status`)),
          Effect.repeat({ until: ({ status }) => status === "completed" })
        )
        const found = yield* request(`${url}/knowledge/search`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ query: "form holidays" })
        })
        const { data } = yield* Effect.promise(() => found.json() as Promise<Json>)
        assert.deepStrictEqual(data.map(({ content }: Json) => content), [text_content])
        const answer = yield* ask(url, { message: "When do I fill in the form for holidays?" })
        assert.include(answer.content, text_content)
        assert.deepStrictEqual(
          answer.references.map(({ references }: Json) => references.map(({ name }: Json) => name)),
          [["holidays"]]
        )
      })
  )

  live("answers with a tool, keeps the session, and has it after a restart", () =>
    Effect.gen(function*() {
      const { service } = yield* Quickstart
      const first = yield* service("new")
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

      const second = yield* service("restarted")
      const after = yield* get(`${second.url}/sessions/s`)
      assert.deepStrictEqual(after, before)
      assert.strictEqual(after["user_id"], "ann")
      assert.isAbove(after["total_tokens"], 0)
    }))

  describe("starts and ends", () => {
    live(
      "names the directory or port that another process uses, and the setting that an unusable model lacks",
      () =>
        Effect.gen(function*() {
          const { newDirectory, service } = yield* Quickstart
          const first = yield* service("restarted")
          const port = new URL(first.url).port
          const [directoryUsed, portUsed] = yield* Effect.all([
            Effect.flip(start(newDirectory)),
            Effect.flip(start(yield* TemporaryDirectory.withDatabase, { PORT: port }))
          ], { concurrency: "unbounded" })
          assert.include(directoryUsed.message, String(first.pid))
          assert.include(directoryUsed.message, "DATA_DIR")
          assert.include(portUsed.message, port)
          const run = yield* ask(first.url, { message: "hi" })
          assert.strictEqual(run["status"], "ERROR")
          assert.include(run["content"], "OPENAI_API_KEY")
        })
    )

    live(
      "has every answered run and all that was shown after kill -9, and resumes the runs it was killed in",
      () =>
        Effect.gen(function*() {
          const { provider, service } = yield* Quickstart
          const half = Reply.broken("stall", 2, { text: ["half", " an answer"] })
          const whole = Reply.text("a whole", " answer")
          yield* provider.script(Reply.text("Tea."), half, half, whole, whole)
          const first = yield* service("killed")
          const answered = yield* ask(first.url, { message: "what?", session_id: "s" })
          assert.strictEqual(answered["content"], "Tea.")

          const tenantPath = "/agents/tenant-assistant/runs"
          const sendAs = (factory_input: string, fields: Readonly<Record<string, string>> = {}) =>
            request(first.url + tenantPath, {
              method: "POST",
              body: formOf({ message: "?", session_id: "t", factory_input, ...fields })
            })
          const refused = yield* sendAs(`{"tenant":5}`)
          assert.deepStrictEqual([refused.status, refused.headers.get("content-type")], [400, "application/json"])
          assert.match(
            yield* Effect.promise(() => refused.text()),
            /^{"detail":"factory_input validation failed: tenant: /
          )
          yield* Effect.forkScoped(sendAs(`{"tenant":"acme"}`, { run_id: "tenant" }))
          const names = { message: "and?", session_id: "s", run_id: "killed" }
          const response = yield* request(first.url + runPath, { method: "POST", body: formOf(names) })
          const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
          let streamed = ""
          while (!streamed.includes("half")) streamed += (yield* Effect.promise(() => reader.read())).value ?? ""
          yield* Effect.repeat(provider.awaitRequest, { times: 2 })
          assert.strictEqual(yield* first.end("SIGKILL"), "SIGKILL")

          const second = yield* service("resumed")
          const eventsUrl = `${second.url}${runPath}/killed/events?session_id=s`
          const kept = yield* Effect.flatMap(request(eventsUrl), (answer) => Effect.promise(() => answer.text()))
          const all = kept.split("\n\n").filter((frame) => frame !== "")
          assert.isTrue(kept.startsWith(streamed), `${kept}\n---\n${streamed}`)
          assert.deepStrictEqual(
            all.map((frame) => /id: (\d+)/.exec(frame)?.[1]),
            all.map((_, index) => String(index))
          )
          assert.isTrue(all.some((frame) => frame.startsWith("event: RunContinued\n")))
          assert.match(all.at(-1) ?? "", /^event: RunCompleted\n[^]*a whole answer/)
          const rest = yield* Effect.flatMap(
            request(eventsUrl, { headers: { "last-event-id": "0" } }),
            (answer) => Effect.promise(() => answer.text())
          )
          assert.strictEqual(rest, kept.slice(kept.indexOf("\n\n") + 2))
          const runs = (yield* get(`${second.url}${runPath}?session_id=s`)) as unknown as ReadonlyArray<Json>
          assert.deepStrictEqual(runs.map((run) => [run["run_input"], run["content"], run["status"]]), [
            ["what?", "Tea.", "COMPLETED"],
            ["and?", "a whole answer", "COMPLETED"]
          ])
          const tenant = yield* Effect.repeat(get(`${second.url}${tenantPath}/tenant?session_id=t`), {
            until: ({ status }) => status !== "RUNNING"
          })
          assert.deepInclude(tenant, {
            status: "COMPLETED",
            content: "a whole answer",
            agent_name: "Assistant of acme"
          })
        })
    )

    live("ends at once on a second signal", () =>
      Effect.gen(function*() {
        const { provider, service } = yield* Quickstart
        yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
        const running = yield* service("resumed")
        const response = yield* request(running.url + runPath, { method: "POST", body: formOf({ message: "hi" }) })
        yield* readUntil(response, "half")
        yield* running.signal("SIGTERM")
        yield* running.saying("A second signal")
        assert.strictEqual(yield* running.end("SIGTERM"), 130)
      }))

    live(
      "lets a running request finish after SIGTERM, accepts no other, and sends its last spans",
      () =>
        Effect.gen(function*() {
          const dataDir = yield* TemporaryDirectory.withDatabase
          const provider = yield* OpenAiChat.make
          yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
          const collector = yield* OtlpReceiver.make()
          const env = {
            MODEL: "openai-compatible:local",
            OPENAI_BASE_URL: provider.url,
            MODEL_TIMEOUT: "1 second",
            OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
            OTEL_BSP_SCHEDULE_DELAY: "3600000"
          }
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
          assert.deepStrictEqual(collector.spans.map(({ name, status }) => [name, status.code]).toSorted(), [
            ["POST /agents/:agent_id/runs", 0],
            ["chat local", 2],
            ["invoke_agent assistant", 2]
          ])
          const chat = collector.spans.find(({ name }) => name === "chat local")
          const { headers } = yield* provider.awaitRequest
          assert.strictEqual(headers["traceparent"], `00-${chat?.traceId}-${chat?.spanId}-01`)
        })
    )

    live(
      "refuses to start unprotected and with an unusable key, names the setting and hides the key",
      () =>
        Effect.gen(function*() {
          const dataDir = yield* TemporaryDirectory.make
          const [open, unusable] = yield* Effect.all([
            Effect.flip(start(dataDir, { HOST: "0.0.0.0" })),
            Effect.flip(start(dataDir, { JWT_VERIFICATION_KEY: "hunter2" }))
          ], { concurrency: "unbounded" })
          assert.include(open.message, "ALLOW_OPEN=true")
          assert.include(unusable.message, "JWT_VERIFICATION_KEY cannot be used")
          assert.notInclude(unusable.message, "hunter2")
        })
    )
  })
})
