// eval run against a real service that is killed, and stopped, while it executes runs. Both are processes.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Reply, ServiceProcess } from "@svc-runtime/test-support"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as OpenAiChat from "@svc-runtime/test-support/wire/OpenAiChat"
import { Effect, Fiber } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Document } from "./Evaluating.ts"
import { build, run } from "./Process.ts"

beforeAll(async () => {
  await build()
})

const quickstart = fileURLToPath(new URL("../../examples/src/quickstart.ts", import.meta.url))

const file = `
agent_id: assistant
concurrency: 1
scorers: [{type: contains, texts: [Tea]}]
items: [{input: one}, {input: two}, {input: three}]
`

describe("svc eval run, while its service restarts", () => {
  it.live(
    "a run is awaited by the same key when the service was killed, and when it was stopped",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const provider = yield* OpenAiChat.make
        const unfinished = Reply.broken("stall", 2, { text: ["half", " an answer"] })
        const tea = Reply.text("Tea")
        yield* provider.script(tea, unfinished, tea, unfinished, tea)
        const start = ServiceProcess.start(quickstart, {
          DATA_DIR: yield* TemporaryDirectory.withDatabase,
          DRAIN_TIMEOUT: "1 second",
          MODEL: "openai-compatible:local",
          NODE_NAME: "evaluated",
          OPENAI_BASE_URL: provider.url,
          PORT: String(yield* freePort),
          SHUTDOWN_TIMEOUT: "1 second"
        })
        const killed = yield* start
        const cwd = yield* TemporaryDirectory.make
        writeFileSync(join(cwd, "evaluation.yaml"), file)
        const argv = ["eval", "run", "evaluation.yaml", "--url", killed.url, "--junit", "results.xml", "--json"]
        const evaluating = yield* Effect.forkChild(Effect.promise(() => run(argv, { cwd })))

        yield* Effect.repeat(provider.awaitRequest, { times: 1 })
        yield* killed.end("SIGKILL")
        const stopped = yield* start
        yield* Effect.repeat(provider.awaitRequest, { times: 1 })
        yield* stopped.end("SIGTERM")
        yield* start

        const { code, stderr, stdout } = yield* Fiber.join(evaluating)
        assert.strictEqual(code, 0, stdout + stderr)
        const { results } = JSON.parse(stdout) as Document
        assert.deepStrictEqual(results.map(({ output, status }) => [status, output]), [
          ["passed", "Tea"],
          ["passed", "Tea"],
          ["passed", "Tea"]
        ])
        assert.include(readFileSync(join(cwd, "results.xml"), "utf8"), "tests=\"4\" failures=\"0\" errors=\"0\"")
        // each unfinished request to the model was repeated once: no run was started twice
        assert.lengthOf(yield* provider.requests, 5)
      })),
    120_000
  )
})
