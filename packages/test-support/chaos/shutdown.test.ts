// The end of a service whose database is away: it stops within its timeouts, and the next start resumes its runs.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as TcpProxy from "@svc-runtime/test-support/TcpProxy"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Redacted } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const subjects = [Subjects.agent, Subjects.approvedAgent, Subjects.team, Subjects.workflow]

describe("a service that stops while its database is away", () => {
  // connections that do not answer cannot be closed in order
  it.live.each(Tier.some([["cut", 0], ["stall", 1]] as const, 1))(
    "a service stops, and the next start resumes its runs (%s)",
    ([fault, exitCode]) =>
      Effect.scoped(Effect.gen(function*() {
        const outputs: Array<() => string> = []
        const ledger = yield* SideEffectLog.make
        const model = yield* Script.make(20)
        const url = new URL(Redacted.value(yield* PostgresLayer.url))
        const wire = yield* TcpProxy.make(Number(url.port))
        url.port = String(wire.port)
        const start = ServiceProcess.start(serviceFile, {
          LEDGER_URL: ledger.url,
          MODEL: "openai-compatible:local",
          OPENAI_BASE_URL: model.url,
          PORT: "0",
          NODE_NAME: "only",
          DATABASE_URL: url.href,
          SHUTDOWN_TIMEOUT: "1 second",
          DRAIN_TIMEOUT: "2 seconds",
          NODE_TIMEOUT: "4 seconds",
          LOG_LEVEL: "Info"
        }).pipe(Effect.tap(({ stdout }) => Effect.sync(() => outputs.push(stdout))))
        const first = yield* start
        const until = (text: string) => Client.parse(text).length > 2
        const runs = subjects.map((subject, index) => ({ client: Client.of(subject), run: `stopped-${index}` }))
        yield* Effect.forEach(
          runs,
          ({ client, run }) => Client.attempt(() => Nodes.begin(client, () => first.url, run, until)),
          { concurrency: "unbounded" }
        )
        yield* wire[fault]
        const started = performance.now()
        const stopped = Progress.watched("its end", Progress.ofOutput(outputs), first.end("SIGTERM"))
        assert.strictEqual(yield* stopped, exitCode, first.stdout())
        process.stdout.write(
          `stopped without a database (${fault}) after ${Math.round(performance.now() - started)} ms\n`
        )
        yield* wire.mend
        const second = yield* start
        const signs = Progress.ofOutput(outputs, ledger.calls)
        for (const { client, run } of runs) {
          const ended = Effect.repeat(
            Effect.delay(Client.attempt(() => client.find(second.url, run)), "100 millis"),
            { until: (output) => output !== undefined && output.status !== "RUNNING" && output.status !== "PENDING" }
          )
          const found = yield* Progress.watched(run, signs, ended)
          assert.include(["COMPLETED", "PAUSED"], found?.status, `${run}: ${second.stdout()}`)
        }
      }))
  )
})
