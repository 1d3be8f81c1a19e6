// Workers share the limits of their machine.
import { assert, describe, it } from "@effect/vitest"
import { FailedAttempts } from "@svc-runtime/auth"
import { CurrentProcess } from "@svc-runtime/domain/Worker"
import { Config } from "@svc-runtime/server"
import { ConfigProvider, Effect, Redacted } from "effect"
import { ofWorker } from "../../src/workers/sharedLimits.ts"

const read = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(Config, ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const worker = {
  number: 3,
  count: 4,
  joins: true,
  internalToken: Redacted.make(""),
  peers: { ask: () => Effect.succeed([]), answer: () => Effect.void }
}

describe("limits of workers", () => {
  it.effect("each worker has its share of what protects the machine, and at least one of each", () =>
    Effect.gen(function*() {
      const config = yield* read({
        MAX_RUNS: "100",
        MAX_RUN_INPUT_BYTES: "1000",
        MAX_RESPONSE_BYTES_IN_FLIGHT: "2000",
        MAX_UPLOAD_BYTES_IN_FLIGHT: "3000",
        MAX_SOCKETS: "10",
        MAX_SOCKETS_PER_CALLER: "1",
        READER_PROCESSES: "2",
        EMBEDDER_REQUESTS_PER_MINUTE: "60",
        DATABASE_CONNECTIONS: "7"
      })
      const { embedderRate, limits, reader, ...own } = ofWorker(config, worker)
      assert.deepInclude(own, { maxRuns: 25, maxRunInputBytes: 250, databaseConnections: 7 })
      assert.deepInclude(limits, {
        responsesInFlight: 500,
        uploadsInFlight: 750,
        sockets: 3,
        socketsPerCaller: 1,
        jsonBody: config.limits.jsonBody
      })
      assert.strictEqual(reader.processes, 1)
      assert.deepStrictEqual(embedderRate, { requestsPerMinute: 15, tokensPerMinute: undefined })
      assert.strictEqual(ofWorker(config, undefined), config)
    }))

  it.effect("an attacker who reaches all workers has the wrong attempts of one process", () =>
    Effect.gen(function*() {
      const share = Effect.provideService(FailedAttempts.share(20), CurrentProcess, { worker, end: Effect.void })
      const workers = yield* Effect.forEach([1, 2, 3, 4], () => share)
      const tries = Array.from({ length: 80 }, (_, index) => workers[index % 4]?.isTooMany("a", index))
      assert.strictEqual(tries.filter((isTooMany) => isTooMany === false).length, 20)
    }))

  it.effect("WORKERS is a number or auto, and any other text stops the start", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* read({ WORKERS: "3" })).workers, 3)
      assert.isAtLeast((yield* read({ WORKERS: "auto" })).workers, 1)
      for (const text of ["0", "-1", "two"]) {
        const error = yield* Effect.flip(read({ WORKERS: text }))
        assert.include(error.message, `WORKERS=${text}: expected auto for one process per core`)
      }
    }))
})
