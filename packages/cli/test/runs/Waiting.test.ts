// What a person reads of the decisions of a run, and what a script gives.
import { assert, describe, it } from "@effect/vitest"
import * as Waiting from "../../src/runs/Waiting.ts"

const call = (tool_name: string, tool_args: object, more: object = {}) => ({
  id: tool_name,
  tool_execution: {
    tool_call_id: tool_name,
    tool_name,
    tool_args,
    requires_confirmation: true,
    confirmed: null,
    result: null,
    ...more
  }
})

const paused = (more: object): Waiting.Run => ({ run_id: "r", session_id: "s", status: "PAUSED", ...more }) as never

const pay = call("pay", { amount: 5 })
const ship = call("ship", { amount: 6 }, {
  requires_user_input: true,
  user_input_schema: [{ name: "day", field_type: "str", description: null, value: null }]
})

describe("Waiting", () => {
  it("The text that names the values says which calls they approve besides.", () => {
    const run = paused({ requirements: [pay, ship] })
    const flags = `--values '{"day": …}', which also approves pay({"amount":5})`
    assert.strictEqual(Waiting.commandFor(run), `svc runs continue r, in a script with ${flags}, or --reject`)
    assert.strictEqual(
      Waiting.insteadOfApproval(run),
      `Give it with ${flags}, reject it with --reject, or run svc runs continue r in a terminal.`
    )
    assert.strictEqual(Waiting.flagsFor(Waiting.of(paused({ requirements: [pay] }))), "--approve or --reject")
    assert.strictEqual(
      Waiting.flagsFor(Waiting.of(paused({ requirements: [ship] }))),
      `--values '{"day": …}' or --reject`
    )
  })

  it("A call whose outcome is unknown is repeated by --approve, and a call that needs values wants its result too.", () => {
    const lost = call("refund", { order: 7 }, { external_execution_required: true, outcome_unknown: true })
    const alone = paused({ requirements: [lost, pay] })
    const ways = `--approve, which executes refund({"order":7}) again, --result TEXT or --reject`
    assert.strictEqual(Waiting.commandFor(alone), `svc runs continue r, in a script with ${ways}`)
    assert.isUndefined(Waiting.insteadOfApproval(alone))
    assert.strictEqual(
      Waiting.flagsFor(Waiting.of(paused({ requirements: [lost, ship] }))),
      `--result TEXT and --values '{"day": …}' or --reject`
    )
  })

  it("A form that was cut off waits again, and a call that is decided does not.", () => {
    const form = call("ship", { amount: 6, day: "friday" }, {
      external_execution_required: true,
      outcome_unknown: true,
      answered: true
    })
    const rejected = { ...pay, confirmation: false }
    const repeated = { ...form, id: "again", confirmation: true }
    const declined = call("ask", {}, { confirmed: null, result: "Declined" })
    assert.deepStrictEqual(
      Waiting.of(paused({ requirements: [form, rejected, repeated, declined] })).map(({ text }) => text),
      [`ship({"amount":6,"day":"friday"}), which has started, and whose outcome is unknown`]
    )
  })

  it("An event is named with the command that sends it, also if the run continues without it at a time.", () => {
    const waits = {
      external_execution_required: true,
      asked: { message: "Waits", state: null, event: "parcel arrived" }
    }
    const event = call("deliver", {}, waits)
    assert.strictEqual(Waiting.commandFor(paused({ requirements: [event] })), "svc runs send r 'parcel arrived'")
    assert.isUndefined(Waiting.timed(paused({ requirements: [event] })))
    const timed = call("deliver", {}, { ...waits, wake_at: 1_790_000_000 })
    assert.strictEqual(
      Waiting.timed(paused({ requirements: [timed] })),
      "The run waits for the event 'parcel arrived', and continues at 2026-09-21 14:13 UTC without it. Send it with " +
        "svc runs send r 'parcel arrived' JSON."
    )
    assert.isUndefined(Waiting.timed(paused({ requirements: [timed, pay] })))
  })

  it("A call that needs an approval is decided by the command of approvals, and other calls after it.", () => {
    const refund = call("refund", { amount: 900 }, { approval_type: "required", approval_id: "a1" })
    const way = "svc approvals approve a1, or reject, as a caller with approvals:write who sees all runs"
    assert.strictEqual(Waiting.commandFor(paused({ requirements: [refund] })), way)
    assert.strictEqual(
      Waiting.commandFor(paused({ requirements: [refund, pay] })),
      `${way}, and then svc runs continue r, in a script with --approve or --reject`
    )
    const audited = call("refund", { amount: 9 }, { approval_type: "audit", approval_id: null })
    assert.include(Waiting.commandFor(paused({ requirements: [audited] })), "svc runs continue r,")
  })

  it("A choice is one name, names with commas between them, or several of both.", () => {
    const run = paused({ step_requirements: [{ available_choices: ["Refund, in full", "b", "c"] }] })
    assert.deepStrictEqual(Waiting.choicesIn(["Refund, in full"], run), ["Refund, in full"])
    assert.deepStrictEqual(Waiting.choicesIn(["b, c,", "Refund, in full"], run), ["b", "c", "Refund, in full"])
  })

  it("A choice whose name has a comma is listed in quotes.", () => {
    const step = { step_name: "way", requires_route_selection: true, available_choices: ["a, one", "b"] }
    const [waiting] = Waiting.of(paused({ step_requirements: [step] }))
    assert.strictEqual(waiting?.text, `step 'way': a choice of "a, one", b`)
  })
})
