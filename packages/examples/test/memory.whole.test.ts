// The memory example, as a process that is killed right after a run.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("../src/memory.ts", import.meta.url))

const textOf = (url: string, init?: RequestInit) => Effect.promise(async () => (await fetch(url, init)).text())

const say = (url: string, message: string) =>
  textOf(`${url}/agents/assistant/runs`, {
    method: "POST",
    body: new URLSearchParams({ message, user_id: "ann", stream: "false" })
  })

describe("the memory example", () => {
  it.live(
    "the service was killed after a run, and knows the user of the run after its restart",
    () =>
      Effect.gen(function*() {
        const env = { DATA_DIR: yield* TemporaryDirectory.withDatabase, PORT: "0", MODEL: "demo" }
        const first = yield* ServiceProcess.start(file, env)
        assert.include(yield* say(first.url, "My name is Ann."), "COMPLETED")
        yield* first.end("SIGKILL")
        const second = yield* ServiceProcess.start(file, env)
        const memories = yield* Effect.repeat(textOf(`${second.url}/memories?user_id=ann`), {
          schedule: Schedule.spaced("100 millis"),
          until: (text) => text.includes("My name is Ann")
        })
        assert.include(memories, `"total_count":1`)
        assert.include(yield* say(second.url, "Who am I?"), "I know about you: The user says: My name is Ann")
      })
  )
})
