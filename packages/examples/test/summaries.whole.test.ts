// The example of summaries, as a process that is killed right after a run.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("../src/summaries.ts", import.meta.url))

const textOf = (url: string, init?: RequestInit) => Effect.promise(async () => (await fetch(url, init)).text())

const say = (url: string, message: string, session_id: string) =>
  textOf(`${url}/agents/assistant/runs`, {
    method: "POST",
    body: new URLSearchParams({ message, user_id: "ann", session_id, stream: "false" })
  })

describe("the example of summaries", () => {
  it.live(
    "a service that was killed after a run summarizes its session after the restart, and later runs show the summary",
    () =>
      Effect.gen(function*() {
        const env = { DATA_DIR: yield* TemporaryDirectory.withDatabase, PORT: "0", MODEL: "demo" }
        const first = yield* ServiceProcess.start(file, env)
        assert.include(yield* say(first.url, "I live in Rome.", "a"), "COMPLETED")
        yield* first.end("SIGKILL")
        const second = yield* ServiceProcess.start(file, env)
        const session = yield* Effect.repeat(textOf(`${second.url}/sessions/a?type=agent`), {
          schedule: Schedule.spaced("100 millis"),
          until: (text) => text.includes(`"session_summary":{`)
        })
        assert.include(session, `"summary":"The user wrote: I live in Rome."`)
        assert.include(
          yield* say(second.url, "Where do I live?", "a"),
          "Earlier in this session: The user wrote: I live in Rome."
        )
        assert.include(yield* say(second.url, "Search my past sessions for Rome", "b"), "I live in Rome.")
      })
  )
})
