// Two nodes whose database is behind a pooler in transaction mode, which passes no notification on and keeps nothing
// of a session.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Redacted } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Operator from "./Operator.ts"
import * as Pooler from "./Pooler.ts"
import * as Progress from "./Progress.ts"
import * as Script from "./Script.ts"
import { serviceFile } from "./serviceFile.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const buyer = Client.of(Subjects.agent)

const world = Effect.gen(function*() {
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make(10)
  const outputs: Array<() => string> = []
  const pooler = yield* Pooler.make(new URL(Redacted.value(yield* PostgresLayer.url)))
  const start = (name: string, env: Readonly<Record<string, string>>) =>
    ServiceProcess.start(serviceFile, {
      LEDGER_URL: ledger.url,
      MODEL: "openai-compatible:local",
      OPENAI_BASE_URL: model.url,
      PORT: "0",
      NODE_NAME: name,
      DATABASE_URL: pooler.url,
      NODE_TIMEOUT: "4 seconds",
      LOG_LEVEL: "Info",
      ...env
    }).pipe(Effect.tap(({ stdout }) => Effect.sync(() => outputs.push(stdout))))
  return { ledger, pooler, signs: Progress.ofOutput(outputs, ledger.calls), start }
})

/** The final status of a run. A person decides the calls whose outcome is unknown. */
const concluded = Effect.fnUntraced(function*(ledger: SideEffectLog.Ledger, url: string, run: string) {
  const find = Client.attempt(() => buyer.find(url, run))
  yield* Effect.delay(find, "100 millis").pipe(
    Effect.repeat({ until: (found) => found?.status !== "RUNNING" && found?.status !== "PENDING" })
  )
  yield* Operator.answer({ subject: Subjects.agent, ledger, url, run, unknown: [] })
  return (yield* find)?.status
})

describe("a pooler in transaction mode", () => {
  it.live("nodes with DATABASE_POOLER complete every run once, and take over from each other", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ledger, pooler, signs, start } = yield* world
      const env = { DATABASE_POOLER: "true" }
      const [a, b] = [yield* start("a", env), yield* start("b", env)]
      const runs = Array.from({ length: Tier.size(16, 60) }, (_, index) => `pooled-${index}`)
      const executed = Effect.forEach(runs, (run, index) =>
        Effect.gen(function*() {
          const [here, there] = index % 2 === 0 ? [a, b] : [b, a]
          const received = yield* Client.attempt(() => Nodes.begin(buyer, () => here.url, run))
          // watched on the other node, which hears nothing of it
          const watched = yield* Client.attempt(() => buyer.watch(there.url, run))
          assert.isTrue(watched.isWhole, watched.text)
          const shown = Client.parse(received.text)
          const events = Client.parse(watched.text)
          assert.deepStrictEqual(received.isWhole ? events : events.slice(0, shown.length), shown)
        }), { concurrency: 8 })
      yield* Progress.watched("runs through the pooler", signs, executed)
      const left = "pooled-left"
      const until = (text: string) => Client.parse(text).length > 0
      yield* Client.attempt(() => Nodes.begin(buyer, () => a.url, left, until))
      yield* a.end("SIGKILL")
      assert.strictEqual(yield* Progress.watched(left, signs, concluded(ledger, b.url, left)), "COMPLETED")
      for (const run of runs) {
        const keys = ledger.of(run).map(({ key }) => key)
        assert.strictEqual(keys.length, Subjects.agent.effects.length, run)
        assert.strictEqual(new Set(keys).size, keys.length, run)
      }
      assert.strictEqual(pooler.counts.listens, 0)
      assert.strictEqual(pooler.counts.rejected, 0)
    })))

  it.live("a node without DATABASE_POOLER does not start, and names the setting", () =>
    Effect.scoped(Effect.gen(function*() {
      const { start } = yield* world
      const ended = yield* Effect.flip(start("a", {}))
      assert.include(ended.message, "unsupported startup parameter")
      assert.include(ended.message, "DATABASE_POOLER=true")
    })))
})
