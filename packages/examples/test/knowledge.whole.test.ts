// The knowledge example, as a process that is killed while it processes its documents.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("../src/knowledge.ts", import.meta.url))

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const jsonOf = (url: string, init?: RequestInit) =>
  Effect.promise(async () => (await fetch(url, init)).json() as Promise<Json>)

/** The contents, when there are so many with this status. */
const contents = (url: string, count: number, status: string) =>
  Effect.map(
    Effect.repeat(jsonOf(`${url}/knowledge/content`), {
      schedule: Schedule.spaced("100 millis"),
      until: ({ data }) =>
        Array.isArray(data) && data.filter((content: Json) => content["status"] === status).length >= count
    }),
    ({ data }) => data as ReadonlyArray<Json>
  )

describe("the knowledge example", () => {
  it.live(
    "a service that was killed completes its documents after a restart, and answers from them with the source",
    () =>
      Effect.gen(function*() {
        const env = { DATA_DIR: yield* TemporaryDirectory.withDatabase, PORT: String(yield* freePort), MODEL: "demo" }
        const first = yield* ServiceProcess.start(file, env)
        yield* first.end("SIGKILL")
        const { url } = yield* ServiceProcess.start(file, env)
        // the folder is one of them
        const stored = yield* contents(url, 4, "completed")
        assert.sameMembers(stored.map(({ name }) => name), ["devices.csv", "documents", "holidays.md", "travel.md"])
        const body = new URLSearchParams({ message: "How many days of holiday do we have?", stream: "false" })
        const run = yield* jsonOf(`${url}/agents/guide/runs`, { method: "POST", body })
        assert.match(run["content"], /thirty days of holiday[^]*\(holidays\.md\)/)
        assert.strictEqual(run["references"][0].references[0].content_origin, "holidays.md")
      })
  )
})
