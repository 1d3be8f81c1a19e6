// A team whose process is killed while a member is at work, and again while another one waits for a person: after each start
// its run goes on where it was, as the same run with the same stream, and nothing is done twice. A copy of it that was made
// while it waited goes on by itself.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc/testing"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const file = fileURLToPath(new URL("./fixtures/desk.ts", import.meta.url))

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-desk-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Json {
  readonly [key: string]: any // oxlint-disable-line typescript/no-explicit-any -- raw answers are read as they are
}

const path = "/teams/desk/runs"

const post = (url: string, fields: Readonly<Record<string, string>>) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) })
      .then((r) => r.json() as Promise<Json>)
  )
const get = (service: ServiceProcess.ServiceProcess, path: string) =>
  Effect.promise(() => fetch(service.url + path).then((r) => r.json() as Promise<Json>))

/** Up to the run's end, or its pause. */
const eventsOf = (service: ServiceProcess.ServiceProcess) =>
  Effect.promise(() => fetch(`${service.url}${path}/r/events?session_id=s`).then((r) => r.text()))

const framesOf = (text: string): ReadonlyArray<Json> =>
  text.split("\n").flatMap((line) => line.startsWith("data: ") ? [JSON.parse(line.slice("data: ".length))] : [])

const doneIn = (service: ServiceProcess.ServiceProcess) =>
  service.said().split("\n").flatMap((line) => line.startsWith("doing ") ? [line.slice("doing ".length)] : [])

const nameOf = ({ agent_id, event, team_id }: Json) => `${agent_id ?? team_id} ${event}`

describe("a team whose process is killed", () => {
  it.live(
    "goes on in the middle of a member's run, and waits on for a person in another one",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const env = { DATA_DIR: join(yield* directory, "data"), PORT: "0", MODEL: "fixed" }
        const first = yield* ServiceProcess.start(file, env)
        yield* post(first.url + path, { message: "go", run_id: "r", background: "true" })
        yield* first.saying("doing look")
        assert.deepStrictEqual(doneIn(first), ["desk 0", "reader 0", "note", "reader 1", "look"])
        yield* first.end("SIGKILL")

        const second = yield* ServiceProcess.start(file, { ...env, RELEASED: "yes" })
        const paused = yield* eventsOf(second)
        assert.deepStrictEqual(doneIn(second), ["look", "reader 2", "desk 1", "payer 0"])
        const { requirements: [requirement], ...waiting } = yield* get(second, `${path}/r?session_id=s`)
        assert.deepStrictEqual([waiting["status"], requirement.member_agent_id], ["PAUSED", "payer"])
        yield* second.end("SIGKILL")

        const third = yield* ServiceProcess.start(file, { ...env, RELEASED: "yes" })
        const said = JSON.stringify([{ id: requirement.id, confirmation: true }])
        const { session_id } = yield* post(`${third.url}/teams/desk/sessions/s/fork`, {})
        const copied = yield* get(third, `/sessions/${session_id}/runs`)
        const copy = copied["at"](-1)["run_id"]
        const answered = yield* post(`${third.url}${path}/${copy}/continue`, { session_id, requirements: said })
        assert.deepStrictEqual([answered["run_id"], answered["status"], answered["content"]], [
          copy,
          "COMPLETED",
          "All done."
        ])
        assert.deepStrictEqual(doneIn(third), ["pay", "payer 1", "desk 2"])
        assert.deepStrictEqual(
          [...answered["member_responses"], answered].map(({ run_id }) => run_id),
          copied["map"]((run: Json) => run["run_id"])
        )
        const ended = yield* post(`${third.url}${path}/r/continue`, { requirements: said })
        assert.deepStrictEqual([ended["run_id"], ended["status"], ended["content"]], ["r", "COMPLETED", "All done."])
        assert.deepStrictEqual(doneIn(third).slice(3), ["pay", "payer 1", "desk 2"])

        const text = yield* eventsOf(third)
        assert.isTrue(text.startsWith(paused), "who has watched before sees the same stream go on")
        const events = framesOf(text)
        assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
        assert.deepStrictEqual(
          events.map(nameOf).filter((name) => /Run(Started|Continued|Paused|Completed)$/.test(name)),
          [
            "desk TeamRunStarted",
            "reader RunStarted",
            "desk TeamRunContinued",
            "reader RunContinued",
            "reader RunCompleted",
            "payer RunStarted",
            "payer RunPaused",
            "desk TeamRunPaused",
            "payer RunContinued",
            "payer RunCompleted",
            "desk TeamRunContinued",
            "desk TeamRunCompleted"
          ]
        )
        const members = ended["member_responses"].map((run: Json) => [run["agent_id"], run["run_id"], run["content"]])
        const runOf = (agent: string) => [
          ...new Set(
            events.filter((e) => e["agent_id"] === agent).map((e) => e["run_id"])
          )
        ]
        assert.deepStrictEqual(members, [["reader", ...runOf("reader"), "I read."], [
          "payer",
          ...runOf("payer"),
          "I paid."
        ]])
        const runs = yield* get(third, "/sessions/s/runs")
        assert.deepStrictEqual(runs["map"]((run: Json) => [run["run_id"], run["status"]]), [
          [members[0][1], "COMPLETED"],
          [members[1][1], "COMPLETED"],
          ["r", "COMPLETED"]
        ])
      })),
    60_000
  )
})
