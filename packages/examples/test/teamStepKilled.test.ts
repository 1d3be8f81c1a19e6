// A workflow whose process is killed while a member of a team does one of its steps, and again while another member waits for
// a person: after each start it goes on where the member was, and nothing is done twice.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Desk from "./Desk.ts"

const path = "/workflows/flow/runs"

describe("a workflow with a team in it whose process is killed", () => {
  it.live(
    "goes on in the middle of a member's run, and waits on for a person in another one",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const start = yield* Desk.make
        const first = yield* start()
        yield* Desk.post(first, path, { message: "go", run_id: "r", background: "true" })
        yield* first.saying("doing look")
        assert.deepStrictEqual(Desk.doneIn(first), ["first", "desk 0", "reader 0", "note", "reader 1", "look"])
        yield* first.end("SIGKILL")

        const second = yield* start({ RELEASED: "yes" })
        const paused = yield* Desk.eventsOf(second, `${path}/r`)
        assert.deepStrictEqual(Desk.doneIn(second), ["look", "reader 2", "desk 1", "payer 0"])
        const waiting = yield* Desk.get(second, `${path}/r?session_id=s`)
        const { executor_requirements: [requirement], executor_type, step_id } = waiting["step_requirements"][0]
        assert.deepStrictEqual([waiting["status"], executor_type, requirement.member_agent_id], [
          "PAUSED",
          "team",
          "payer"
        ])
        yield* second.end("SIGKILL")

        const third = yield* start({ RELEASED: "yes" })
        const said = [{ step_id, executor_requirements: [{ id: requirement.id, confirmation: true }] }]
        const ended = yield* Desk.post(third, `${path}/r/continue`, { step_requirements: JSON.stringify(said) })
        assert.deepStrictEqual([ended["status"], ended["content"]], ["COMPLETED", "after All done."])
        assert.deepStrictEqual(Desk.doneIn(third), ["pay", "payer 1", "desk 2", "last"])

        const text = yield* Desk.eventsOf(third, `${path}/r`)
        assert.isTrue(text.startsWith(paused), "who has watched before sees the same stream go on")
        const events = Desk.framesOf(text)
        assert.deepStrictEqual(events.map(({ event_index }) => event_index), events.map((_, index) => index))
        assert.deepStrictEqual(
          events.map(Desk.nameOf).filter((name) =>
            /Step|(Run|Workflow)(Started|Continued|Paused|Completed)$/.test(name)
          ),
          [
            "flow WorkflowStarted",
            "flow StepStarted",
            "flow StepOutput",
            "flow StepCompleted",
            "flow StepStarted",
            "desk TeamRunStarted",
            "reader RunStarted",
            "desk TeamRunContinued",
            "reader RunContinued",
            "reader RunCompleted",
            "payer RunStarted",
            "payer RunPaused",
            "desk TeamRunPaused",
            "flow StepExecutorPaused",
            "flow WorkflowPaused",
            "flow StepExecutorContinued",
            "payer RunContinued",
            "payer RunCompleted",
            "desk TeamRunContinued",
            "desk TeamRunCompleted",
            "flow StepCompleted",
            "flow StepStarted",
            "flow StepOutput",
            "flow StepCompleted",
            "flow WorkflowCompleted"
          ]
        )
        const [team] = ended["step_executor_runs"]
        assert.deepStrictEqual(team["member_responses"].map((run: Desk.Json) => [run["agent_id"], run["content"]]), [
          ["reader", "I read."],
          ["payer", "I paid."]
        ])
        const runs = yield* Desk.get(third, "/sessions/s/runs?type=workflow")
        assert.deepStrictEqual(runs["map"]((run: Desk.Json) => [run["run_id"], run["status"]]), [["r", "COMPLETED"]])
      })),
    60_000
  )
})
