// A service whose standard output and standard error have no reader any more.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const quickstart = fileURLToPath(new URL("../src/quickstart.ts", import.meta.url))

describe("a service whose output has no reader", () => {
  it.live(
    "the service continues to serve without a reader, and stops on a signal with code 0",
    () =>
      Effect.gen(function*() {
        const dataDir = yield* TemporaryDirectory.withDatabase
        const port = yield* freePort
        const child = yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(process.execPath, [quickstart], {
              env: {
                ...ServiceProcess.environment(),
                DATA_DIR: dataDir,
                PORT: String(port),
                MODEL: "demo",
                LOG_LEVEL: "All"
              },
              stdio: ["ignore", "pipe", "pipe"]
            })
          ),
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
        yield* Effect.callback<void>((resume) => {
          child.stderr.on("data", (chunk) => String(chunk).includes(" listens on http") && resume(Effect.void))
          child.once("exit", () => resume(Effect.void))
        })
        child.stderr.destroy()
        child.stdout.destroy()
        const run = () => {
          const body = new URLSearchParams({ message: "hi", stream: "false" })
          return fetch(`http://127.0.0.1:${port}/agents/assistant/runs`, { method: "POST", body })
        }
        for (let n = 0; n < 3; n++) assert.strictEqual((yield* Effect.promise(run)).status, 200)
        const ended = once(child, "exit")
        // the service writes that it is stopping
        child.kill("SIGTERM")
        assert.deepStrictEqual(yield* Effect.promise(() => ended), [0, null])
      })
  )
})
