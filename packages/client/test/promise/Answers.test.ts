// What a person gives a paused run, beside a confirmation: values, results and choices.
import { assert, describe, it } from "@effect/vitest"
import { answer } from "@svc-runtime/client"
import { Effect } from "effect"
import { formAgent, formWorkflows } from "../Forms.ts"
import { withSvc } from "./Served.ts"

const values = {
  nullable: null,
  size: "L",
  choice: "many",
  either: 7,
  list: ["a", "b"],
  nested: { at: { x: 1 } },
  number: 1.5,
  whole: 7,
  date: "2026-01-02T03:04:05.000Z",
  yes: false
}

describe("the answer to a paused run", () => {
  it.live("a tool gets the values of each kind of field", () =>
    Effect.flatMap(formAgent, (agent) =>
      withSvc({ agents: [agent] }, async (svc) => {
        const form = svc.agent("form")
        const paused = await form.run("ask")
        assert.strictEqual(paused.status, "PAUSED")
        const done = await form.continue(paused, answer(paused, values))
        assert.deepStrictEqual(JSON.parse(done.text), values)
      })))

  it.live("a step gets the values of each kind of field, also if it needs a confirmation too", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      for (const id of ["form-function", "form-step"]) {
        const flow = svc.workflow(id)
        const paused = await flow.run("ask")
        const done = await flow.continue(paused, answer(paused, values))
        assert.deepStrictEqual([done.status, JSON.parse(done.text)], ["COMPLETED", values], id)
      }
    }))

  it.live("an event gets its result as JSON, and a router its choices", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const event = svc.workflow("event")
      const waiting = await event.run("wait")
      const sent = await event.continue(waiting, answer(waiting, undefined, { result: { cents: 12 } }))
      assert.strictEqual(sent.text, "{\"cents\":12}")
      const routed = svc.workflow("routed")
      const choosing = await routed.run("choose")
      const chosen = await routed.continue(choosing, answer(choosing, undefined, { choices: ["left"] }))
      assert.strictEqual(chosen.text, "left")
    }))
})
