// A workflow whose process is killed: after the next start it resumes after the last finished step of each of its
// branches, and a run that waits for a person keeps waiting.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("./fixtures/branches.ts", import.meta.url))

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-branches-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const post = (url: string, fields: Readonly<Record<string, string>>) =>
  Effect.promise(() => ServiceClient.once(url, { method: "POST", body: new URLSearchParams(fields) }) as Promise<Json>)
const get = (url: string) => Effect.promise(() => ServiceClient.read(url) as Promise<Json>)

const doneIn = (service: ServiceProcess.ServiceProcess) =>
  service.stdout().split("\n").flatMap((line) => line.startsWith("doing ") ? [line.slice("doing ".length)] : []).sort()

describe("a workflow whose process is killed", () => {
  it.live(
    "a killed workflow repeats only what was not finished, in each branch, and asks nothing twice",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const env = { DATA_DIR: join(yield* directory, "data"), PORT: "0", MODEL: "fixed" }
        const path = "/workflows/branches/runs"
        const first = yield* ServiceProcess.start(file, env)
        const { run_id, session_id } = yield* Effect.promise(() => ServiceClient.begin(first.url + path))
        const run = `${path}/${run_id}`
        yield* first.saying("doing right")
        // the branch beside it is written down: its last event is shown
        const until = (seen: string) => /event: StepCompleted\n[^\n]+\n[^\n]+"step_name":"left"/.test(seen)
        yield* Effect.promise(() => ServiceClient.send(`${first.url}${run}/events?session_id=${session_id}`, { until }))
        assert.deepStrictEqual(doneIn(first), ["first", "left", "right"])
        yield* first.end("SIGKILL")

        const second = yield* ServiceProcess.start(file, { ...env, RELEASED: "yes" })
        yield* Effect.promise(() => ServiceClient.request(`${second.url}${run}/events?session_id=${session_id}`))
        const paused = yield* get(`${second.url}${run}?session_id=${session_id}`)
        assert.deepStrictEqual([paused["status"], paused["paused_step_name"]], ["PAUSED", "asked"])
        // what was shown may be stored a moment before what it is about: then the branch is done once more
        assert.includeMembers(["right", "left,right"], [doneIn(second).join()])
        yield* second.end("SIGKILL")

        const third = yield* ServiceProcess.start(file, { ...env, RELEASED: "yes" })
        const step_requirements = JSON.stringify([{ ...paused["step_requirements"][0], confirmed: true }])
        const ended = yield* post(`${third.url}${run}/continue`, {
          session_id,
          stream: "false",
          step_requirements
        })
        assert.deepStrictEqual([ended["status"], ended["content"]], ["COMPLETED", "last"])
        assert.deepStrictEqual(doneIn(third), ["asked", "last"])
        const results = ended["step_results"].map((step: Json) => [step["step_name"], step["step_id"]])
        assert.deepStrictEqual(
          results.slice(0, 2),
          paused["step_results"].map((step: Json) => [step["step_name"], step["step_id"]])
        )
      })),
    600_000
  )
})
