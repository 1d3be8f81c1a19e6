// A service whose database is away, and one that is stopped while its database is frozen: a real process, and a real
// database behind a wire that is cut or passes nothing on.
import { assert, layer } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ServiceProcess from "@svc-runtime/test-support/ServiceProcess"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import * as Reply from "@svc-runtime/test-support/wire/Reply"
import { Clock, Context, Duration, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { fileURLToPath } from "node:url"
import * as SharedProcesses from "./sharedProcesses.ts"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

/** `impatient`: other nodes take its runs over soon. */
type Name = "service" | "impatient"

class Service extends Context.Service<Service, {
  readonly provider: Effect.Success<typeof OpenAiChat.make>
  readonly proxy: TcpProxy.TcpProxy
  /** Beside the proxy. */
  readonly databaseUrl: Redacted.Redacted
  readonly start: (name: Name) => Effect.Effect<ServiceProcess.ServiceProcess, ServiceProcess.ServiceDidNotStart>
}>()("@svc-runtime/examples/test/Service") {
  static readonly layer = Layer.effect(
    Service,
    Effect.gen(function*() {
      const provider = yield* OpenAiChat.make
      const databaseUrl = yield* PostgresLayer.url
      const url = new URL(Redacted.value(databaseUrl))
      const proxy = yield* TcpProxy.make(Number(url.port))
      url.port = String(proxy.port)
      const start = yield* SharedProcesses.make((name: Name) =>
        ServiceProcess.start(quickstart, {
          DATABASE_URL: url.href,
          MODEL: "openai-compatible:local",
          OPENAI_BASE_URL: provider.url,
          PORT: "0",
          ...(name === "impatient" ? { NODE_TIMEOUT: "2 seconds" } : {}),
          SHUTDOWN_TIMEOUT: "1 second",
          DRAIN_TIMEOUT: "1 second"
        })
      )
      return Service.of({ databaseUrl, provider, proxy, start })
    })
  )
}

const startedAs = Effect.fnUntraced(function*(name: Name) {
  const { provider, proxy, start } = yield* Service
  const service = yield* start(name)
  const status = (path: string, init?: RequestInit) =>
    Effect.map(Effect.promise(() => fetch(`${service.url}${path}`, init)), (answer) => answer.status)
  return { provider, proxy, service, status }
})

const started = startedAs("service")

const body = new URLSearchParams({ message: "hi", background: "true", stream: "false" })
const form: RequestInit = { method: "POST", body }

layer(Service.layer, { excludeTestServices: true })("a service without its database", (it) => {
  it.effect("an outage leaves a line when the database is lost, one when it is back, and one for each request", () =>
    Effect.gen(function*() {
      const { proxy, service, status } = yield* started
      const sessions = status("/sessions?type=agent")
      const until = (wanted: number) =>
        Effect.repeat(sessions, { until: (found) => found === wanted, schedule: Schedule.spaced("50 millis") })
      assert.strictEqual(yield* sessions, 200)
      const before = service.stdout().split("\n").length
      yield* proxy.cut
      yield* service.saying("\"message\":\"The database does not reply")
      for (let n = 0; n < 3; n++) assert.strictEqual(yield* sessions, 503)
      yield* proxy.mend
      yield* service.saying("The database replies again")
      yield* service.saying("Notifications between nodes work again")
      yield* until(200)
      const lines = service.stdout().split("\n").slice(before - 1).filter((line) => line !== "")
        .map((line): Record<string, unknown> => JSON.parse(line))
        // of the start, which may not be over
        .filter(({ message }) => message !== "Unfinished runs could not be acquired; retrying")
      const others = lines.filter(({ part }) => part !== "http")
        .map(({ level, message, part }) =>
          `${String(level)} ${String(part)} ${String(message).replace(/\d+ s$/, "N s")}`
        )
      assert.deepStrictEqual(others.toSorted(), [
        "ERROR database The database does not reply. Runs wait until it is back, and new ones are refused",
        "WARN database The database replies again after N s",
        "WARN runs Notifications between nodes are lost. Until they work again, changes are found by polling",
        "WARN runs Notifications between nodes work again"
      ])
      const refused = lines.filter(({ status }) => status === 503)
      assert.isAtLeast(refused.length, 3)
      for (const line of refused) assert.deepInclude(line, { part: "http", level: "WARN", route: "/sessions" })
    }))

  it.effect("A stream of a run stays open in an outage of the database, and shows the end of the run after it.", () =>
    Effect.gen(function*() {
      const { provider, proxy, service } = yield* startedAs("impatient")
      yield* provider.script(Reply.answer({ text: ["One", " whole", " answer"] }, 1000))
      const body = new URLSearchParams({ message: "hi", session_id: "kept", run_id: "kept" })
      const stream = yield* Effect.promise(() =>
        fetch(`${service.url}/agents/assistant/runs`, { method: "POST", body })
      )
      yield* service.saying("A run starts")
      yield* proxy.cut
      // until other nodes could take the run over
      yield* Effect.promise(() => fetch(`${service.url}/agents/assistant/runs`, form).then((answer) => answer.text()))
        .pipe(Effect.repeat({
          until: (text) => text.includes("no recent heartbeat"),
          schedule: Schedule.spaced("100 millis")
        }))
      yield* proxy.mend
      const text = yield* Effect.promise(() => stream.text())
      assert.notInclude(text, "event: error")
      assert.notInclude(text, "RunContinued")
      assert.match(text, /event: RunCompleted\n[^]*One whole answer/)
    }))

  it.effect("A request whose run is still being stored when the service stops gets 503 with the id of the run.", () =>
    Effect.gen(function*() {
      const { databaseUrl } = yield* Service
      const { provider, service } = yield* startedAs("impatient")
      yield* provider.script(Reply.text("One."))
      const send = (run_id: string) =>
        Effect.promise(async () => {
          const body = new URLSearchParams({ message: "hi", session_id: "locked", run_id, stream: "false" })
          const answer = await fetch(`${service.url}/agents/assistant/runs`, { method: "POST", body })
          return { status: answer.status, text: await answer.text() }
        })
      assert.strictEqual((yield* send("first")).status, 200)
      const { answer } = yield* Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        return yield* sql.withTransaction(Effect.gen(function*() {
          yield* sql`select 1 from svc_sessions where session_id = 'locked' for update`
          const sending = yield* Effect.forkChild(send("second"))
          const waiting = sql`select 1 from pg_locks where not granted`
          yield* Effect.repeat(waiting, { until: (rows) => rows.length > 0, schedule: Schedule.spaced("50 millis") })
          yield* Effect.forkChild(service.end("SIGTERM"))
          return { answer: yield* Fiber.join(sending) }
        }))
      }).pipe(Effect.provide(Postgres.layer({ url: databaseUrl, maxConnections: 1 })))
      assert.strictEqual(answer.status, 503)
      assert.deepInclude(JSON.parse(answer.text), { error_code: "SERVICE_UNAVAILABLE" })
      assert.include(answer.text, "run 'second'")
    }))

  it.effect("A service whose database is frozen refuses requests in seconds, and stops in seconds with exit code 1.", () =>
    Effect.gen(function*() {
      const { provider, proxy, service, status } = yield* started
      yield* provider.script(Reply.broken("stall", 2, { text: ["half", " an answer"] }))
      const start = status("/agents/assistant/runs", form)
      assert.strictEqual(yield* start, 202)
      yield* proxy.stall
      const [refused, answers] = yield* Effect.timed(
        Effect.all([start, status("/sessions?type=agent"), status("/ready")], { concurrency: "unbounded" })
      )
      assert.deepStrictEqual(answers, [503, 503, 503])
      assert.isBelow(Duration.toSeconds(refused), 30)
      const before = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* service.end("SIGTERM"), 1)
      const seconds = ((yield* Clock.currentTimeMillis) - before) / 1000
      assert.isBelow(seconds, 60, service.stdout())
    }))
})
