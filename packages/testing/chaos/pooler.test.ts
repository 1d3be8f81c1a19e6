// Two nodes whose database is behind a pooler in transaction mode, which passes no notification on and keeps nothing
// of a session.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc/testing"
import * as PostgresLayer from "@svc/testing/PostgresLayer"
import { Effect, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import * as Client from "./Client.ts"
import * as Pooler from "./Pooler.ts"
import * as Sample from "./Sample.ts"
import * as Script from "./Script.ts"
import * as SideEffectLog from "./SideEffectLog.ts"
import * as Subjects from "./Subjects.ts"

const buyer = Client.of(Subjects.agent)
const file = fileURLToPath(new URL("service.ts", import.meta.url))

const world = Effect.gen(function*() {
  const ledger = yield* SideEffectLog.make
  const model = yield* Script.make(10)
  const pooler = yield* Pooler.make(new URL(Redacted.value(yield* PostgresLayer.url)))
  const start = (name: string, env: Readonly<Record<string, string>>) =>
    ServiceProcess.start(file, {
      LEDGER_URL: ledger.url,
      MODEL: "openai-compatible:local",
      OPENAI_BASE_URL: model.url,
      PORT: "0",
      NODE_NAME: name,
      DATABASE_URL: pooler.url,
      NODE_TIMEOUT: "4 seconds",
      LOG_LEVEL: "Info",
      ...env
    })
  return { ledger, pooler, start }
})

const output = async (base: string, run: string) => {
  for (;;) {
    const found = await buyer.find(base, run).catch(() => undefined)
    if (found !== undefined && found.status !== "RUNNING" && found.status !== "PENDING") return found
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

describe("a pooler in transaction mode", () => {
  it.live("nodes with DATABASE_POOLER complete every run once, and take over from each other", () =>
    Effect.scoped(Effect.gen(function*() {
      const { ledger, pooler, start } = yield* world
      const env = { DATABASE_POOLER: "true" }
      const [a, b] = [yield* start("a", env), yield* start("b", env)]
      const runs = Array.from({ length: Sample.size(20, 60) }, (_, index) => `pooled-${index}`)
      yield* Effect.forEach(runs, (run, index) =>
        Effect.gen(function*() {
          const [here, there] = index % 2 === 0 ? [a, b] : [b, a]
          const received = yield* Client.attempt(() => buyer.start(here.url, run, { patience: 60_000 }))
          assert.isTrue(received.isWhole, received.text)
          // watched on the other node, which hears nothing of it
          const watched = yield* Client.attempt(() => buyer.watch(there.url, run, -1, { patience: 60_000 }))
          assert.deepStrictEqual(Client.parse(watched.text), Client.parse(received.text))
        }), { concurrency: 8 })
      const left = "pooled-left"
      const until = (text: string) => Client.parse(text).length > 0
      yield* Client.attempt(() => buyer.start(a.url, left, { patience: 60_000, until }))
      yield* a.end("SIGKILL")
      assert.strictEqual((yield* Client.attempt(() => output(b.url, left))).status, "COMPLETED")
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
