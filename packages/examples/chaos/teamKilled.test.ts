// A team whose process is killed while a member executes, and again while another one waits for a person: after each
// start its run resumes from its journal, as the same run with the same stream, and nothing is executed twice. A copy
// of it that was made while it waited continues by itself.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Desk from "./Desk.ts"

const path = "/teams/desk/runs"

describe("a team whose process is killed", () => {
  it.live(
    "a team resumes in the middle of a member's run, and keeps waiting for a person in another one",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const start = yield* Desk.make
        const first = yield* start()
        const { run_id, session_id: session } = yield* Desk.begin(first, path)
        const run = `${path}/${run_id}`
        yield* first.saying("doing look")
        assert.deepStrictEqual(Desk.doneIn(first), ["desk 0", "reader 0", "note", "reader 1", "look"])
        yield* first.end("SIGKILL")

        const second = yield* start({ RELEASED: "yes" })
        const paused = yield* Desk.eventsOf(second, run, session)
        assert.deepStrictEqual(Desk.doneIn(second), ["look", "reader 2", "desk 1", "payer 0"])
        const { requirements: [requirement], ...waiting } = yield* Desk.get(second, `${run}?session_id=${session}`)
        assert.deepStrictEqual([waiting["status"], requirement.member_agent_id], ["PAUSED", "payer"])
        yield* second.end("SIGKILL")

        const third = yield* start({ RELEASED: "yes" })
        const requirements = JSON.stringify([{ id: requirement.id, confirmation: true }])
        const { session_id } = yield* Desk.post(third, `/teams/desk/sessions/${session}/fork`, {})
        const copied = yield* Desk.get(third, `/sessions/${session_id}/runs`)
        const copy = copied["at"](-1)["run_id"]
        const answered = yield* Desk.post(third, `${path}/${copy}/continue`, { session_id, requirements })
        assert.deepStrictEqual([answered["run_id"], answered["status"], answered["content"]], [
          copy,
          "COMPLETED",
          "All done."
        ])
        assert.deepStrictEqual(Desk.doneIn(third), ["pay", "payer 1", "desk 2"])
        assert.deepStrictEqual(
          [...answered["member_responses"], answered].map(({ run_id }) => run_id),
          copied["map"](({ run_id }: Desk.Json) => run_id)
        )
        const ended = yield* Desk.post(third, `${run}/continue`, { session_id: session, requirements })
        assert.deepStrictEqual([ended["run_id"], ended["status"], ended["content"]], [run_id, "COMPLETED", "All done."])
        assert.deepStrictEqual(Desk.doneIn(third).slice(3), ["pay", "payer 1", "desk 2"])

        const text = yield* Desk.eventsOf(third, run, session)
        assert.isTrue(text.startsWith(paused), "an earlier watcher sees the same stream continue")
        const events = Desk.framesOf(text)
        assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
        assert.deepStrictEqual(
          events.map(Desk.nameOf).filter((name) => /Run(Started|Continued|Paused|Completed)$/.test(name)),
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
        const members = ended["member_responses"].map((
          { agent_id, content, run_id }: Desk.Json
        ) => [agent_id, run_id, content])
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
        const runs = yield* Desk.get(third, `/sessions/${session}/runs`)
        assert.deepStrictEqual(runs["map"](({ run_id, status }: Desk.Json) => [run_id, status]), [
          [members[0][1], "COMPLETED"],
          [members[1][1], "COMPLETED"],
          [run_id, "COMPLETED"]
        ])
      })),
    600_000
  )
})
