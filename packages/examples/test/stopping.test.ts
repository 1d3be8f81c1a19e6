// A service that is asked and stopped while its database is frozen: a real process, and a real database behind a wire
// that passes nothing on.
import { assert, layer } from "@effect/vitest"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import * as ServiceProcess from "@svc/testing/ServiceProcess"
import * as TcpProxy from "@svc/testing/TcpProxy"
import * as OpenAiChat from "@svc/testing/wire/OpenAiChat"
import * as Reply from "@svc/testing/wire/Reply"
import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import { fileURLToPath } from "node:url"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

layer(Layer.empty, { excludeTestServices: true })("a service that stops", (it) => {
  it.effect("A service whose database is frozen refuses requests in seconds, and stops in seconds with exit code 1.", () =>
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.make
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
      const url = new URL(Redacted.value(yield* PostgresLayer.url))
      const proxy = yield* TcpProxy.make(Number(url.port))
      url.port = String(proxy.port)
      const service = yield* ServiceProcess.start(quickstart, {
        DATABASE_URL: url.href,
        MODEL: "openai-compatible:local",
        OPENAI_BASE_URL: provider.url,
        PORT: "0",
        SHUTDOWN_TIMEOUT: "1 second",
        DRAIN_TIMEOUT: "1 second"
      })
      const body = new URLSearchParams({ message: "hi", background: "true", stream: "false" })
      const status = (path: string, init?: RequestInit) =>
        Effect.map(Effect.promise(() => fetch(`${service.url}${path}`, init)), (answer) => answer.status)
      const start = status("/agents/assistant/runs", { method: "POST", body })
      assert.strictEqual(yield* start, 202)
      yield* proxy.stall
      const [refused, answers] = yield* Effect.timed(
        Effect.all([start, status("/sessions?type=agent"), status("/ready")], { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(answers, [503, 503, 503])
      assert.isBelow(Duration.toSeconds(refused), 6)
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* service.end("SIGTERM"), 1)
      const seconds = ((yield* Clock.currentTimeMillis) - before) / 1000
      assert.isBelow(seconds, 12, service.stdout())
    }))
})
