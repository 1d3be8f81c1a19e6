// Errors of an author's code that nothing awaits. In Node they end the process, with the runs of all users.
import { assert, describe, it } from "@effect/vitest"
import * as ServiceProcess from "@svc-runtime/test-support/ServiceProcess"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"

const program = fileURLToPath(new URL("forgetting-service.ts", import.meta.url))

describe("an error of a tool that nothing awaits", () => {
  it.live("the service logs it with its stack or its fields and continues, also if looking at it throws", () =>
    Effect.gen(function*() {
      const env = { PORT: "0", DATA_DIR: yield* TemporaryDirectory.withDatabase, LOG_FORMAT: "json" }
      const service = yield* ServiceProcess.start(program, env)
      const body = new URLSearchParams({ message: "Hello", stream: "false" })
      const response = yield* Effect.promise(() =>
        fetch(`${service.url}/agents/assistant/runs`, { method: "POST", body })
      )
      assert.deepInclude(yield* Effect.promise(() => response.json()), { status: "COMPLETED" })
      const line = JSON.parse(yield* service.saying("The ledger is closed"))
      assert.strictEqual(line.level, "ERROR")
      assert.include(JSON.stringify(line), "forgetting-service.ts")
      assert.include(JSON.parse(yield* service.saying("The queue is full")).cause, "code: 42")
      yield* service.saying("It has a getter")
      yield* service.saying("It has a revoked cause")
      assert.isTrue(service.isRunning())
      assert.strictEqual((yield* Effect.promise(() => fetch(`${service.url}/health`))).status, 200)
      assert.strictEqual(yield* service.end("SIGTERM"), 0)
    }))
})
