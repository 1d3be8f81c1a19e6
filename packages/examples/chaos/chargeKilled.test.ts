// A function with a lost `once` step whose process is killed twice: while the step has its effect, and again while the
// function handles that its outcome is unknown. A person is asked once, and nothing is done twice.
import { assert, describe, it } from "@effect/vitest"
import { ServiceProcess } from "@svc-runtime/test-support"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Desk from "./Desk.ts"

const file = fileURLToPath(new URL("./fixtures/charges.ts", import.meta.url))

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-charges-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

interface Kind {
  readonly path: string
  readonly paused: string
  /** That the charge was not made: it is made now. */
  readonly decide: (run: Desk.Json) => Readonly<Record<string, string>>
}

const kinds: ReadonlyArray<readonly [string, Kind]> = [
  ["a tool", {
    path: "/agents/clerk/runs",
    paused: "RunPaused",
    decide: ({ requirements: [requirement] }) => ({
      requirements: JSON.stringify([{ id: requirement.id, confirmation: true }])
    })
  }],
  ["a step", {
    path: "/workflows/desk/runs",
    paused: "StepError",
    decide: ({ error_requirements: [{ id, step_id }] }) => ({
      error_requirements: JSON.stringify([{ id, step_id, decision: "retry" }])
    })
  }]
]

Tier.oneIn(2)

describe("a lost `once` step whose process is killed twice", () => {
  it.live.each(kinds)(
    "nothing is done twice, and a person is asked once: in the function of %s",
    ([, kind]) =>
      Effect.scoped(Effect.gen(function*() {
        const env = { DATA_DIR: join(yield* directory, "data"), PORT: "0", MODEL: "fixed" }
        const first = yield* ServiceProcess.start(file, { ...env, HOLD: "charge" })
        const { run_id, session_id } = yield* Desk.begin(first, kind.path)
        const run = `${kind.path}/${run_id}`
        yield* first.saying("doing begins charge")
        yield* first.end("SIGKILL")

        const second = yield* ServiceProcess.start(file, { ...env, HOLD: "note" })
        yield* second.saying("doing begins note")
        yield* second.end("SIGKILL")

        const third = yield* ServiceProcess.start(file, env)
        yield* Desk.eventsOf(third, run, session_id)
        const paused = yield* Desk.get(third, `${run}?session_id=${session_id}`)
        assert.strictEqual(paused["status"], "PAUSED")
        const ended = yield* Desk.post(third, `${run}/continue`, { session_id, ...kind.decide(paused) })
        assert.strictEqual(ended["status"], "COMPLETED")
        assert.include(JSON.stringify(ended), "reserve, charge")

        const done = [first, second, third].flatMap(Desk.doneIn)
        const effects = done.filter((each) => !each.startsWith("begins "))
        const count = (name: string) => effects.filter((each) => each.startsWith(`${name} `)).length
        assert.deepStrictEqual([count("reserve"), count("charge")], [1, 1], done.join())
        // the note that was made after the loss is made again with the charge, and can be recognised
        assert.strictEqual(new Set(effects.filter((each) => each.startsWith("note "))).size, 1, done.join())
        const begun = done.filter((each) => each === "begins charge").length
        assert.strictEqual(begun, 2, "as the service stopped in the first, only the person has the second made")
        const events = Desk.framesOf(yield* Desk.eventsOf(third, run, session_id))
        assert.lengthOf(events.filter(({ event }) => event === kind.paused), 1)
        assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
      })),
    600_000
  )
})
