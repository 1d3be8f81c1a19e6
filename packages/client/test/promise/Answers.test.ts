// What a person gives a paused run, beside a confirmation: values, results and choices.
import { assert, describe, it } from "@effect/vitest"
import { answer, approve, reject, type RunOutput, sent, waitingSteps } from "@svc-runtime/client"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { formAgent, formWorkflows } from "../Forms.ts"
import { withSvc } from "./Served.ts"

Tier.oneIn(3)

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

  it.live("all steps that wait are decided, and earlier decisions stay as they are", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("together")
      const decided = async (decide: typeof approve) => {
        const paused = await flow.run("Go")
        const [first] = paused.step_requirements ?? []
        if (first === undefined) return assert.fail("no step waits")
        const again = await flow.continue(paused, reject({ step_requirements: [first] }, "not this"))
        assert.deepStrictEqual(again.step_requirements?.map(({ resolved }) => resolved).toSorted(), [
          false,
          false,
          true
        ])
        const done = await flow.continue(again, decide(again))
        assert.strictEqual(done.status, "COMPLETED")
        return done.step_requirements?.map(({ confirmed }) => confirmed).toSorted()
      }
      assert.deepStrictEqual(await decided(approve), [false, true, true])
      assert.deepStrictEqual(await decided(reject), [false, false, false])
      assert.deepStrictEqual(await decided(answer), [false, true, true])
    }))

  it("what is decided is not sent again, so that it takes no place in the request", () => {
    const step = { requires_user_input: false }
    const steps = [{ id: "1", resolved: true }, { id: "2", resolved: false }, { id: "3", resolved: true }]
    const run = { status: "PAUSED", step_requirements: steps.map((each) => ({ ...step, ...each })) }
    const idsOf = ({ step_requirements: all = [] }: { readonly step_requirements?: unknown }) =>
      (all as typeof steps).map(({ id }) => id)
    assert.deepStrictEqual([approve(run), reject(run), answer(run)].map(idsOf), [["2"], ["2"], ["2"]])
    const event = { executor_requirements: [{ tool_execution: { asked: { event: "paid" } } }] }
    const waiting = { ...run, step_requirements: [...run.step_requirements, { id: "4", resolved: false, ...event }] }
    assert.deepStrictEqual(idsOf(sent(waiting, "paid")), ["4"])
    assert.deepStrictEqual(waitingSteps({ ...run, status: "CANCELLED" }), [])
    const former = { ...run, step_requirements: [{ ...step, id: "1" }, { ...step, id: "2" }] }
    assert.deepStrictEqual(idsOf(approve(former)), ["2"])
  })

  it.live("steps that ask for the same value are named, and each of them is answered alone", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("items")
      let run = await flow.run("Go")
      assert.throws(
        () => answer(run, { room: "1" }),
        "Several steps ask for 'room': 'room' (1/1/0), 'room' (1/0/0). Answer one of them at a time"
      )
      while (run.status === "PAUSED") {
        const [step] = waitingSteps(run)
        if (step === undefined) return assert.fail("no step waits")
        run = await flow.continue(run, answer({ step_requirements: [step] }, { room: String(step.step_index) }))
      }
      assert.deepStrictEqual(JSON.parse(run.text), ["1,0,0", "1,1,0"])
    }))

  it.live("a run that was decided in part before a step failed is rejected as a whole", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("broken")
      const paused = await flow.run("Go")
      const failed = await flow.continue(paused, approve(paused))
      assert.deepStrictEqual([failed.error_requirements?.length, waitingSteps(failed)], [1, []])
      assert.strictEqual((await flow.continue(failed, reject(failed))).status, "COMPLETED")
    }))

  it.live("an event is for all steps that wait for it", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("events")
      const paused = await flow.run("Go")
      const done = await flow.send(paused, "paid", 7)
      assert.deepStrictEqual([done.status, done.step_results?.[0]?.steps?.map(({ content }) => content)], [
        "COMPLETED",
        ["a 7", "b 7"]
      ])
    }))

  it.live("the stream of a continued workflow is of the outer one, although the events of the inner one come first", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("around")
      const paused = await flow.run("Go")
      const done = await flow.continueStream(paused, approve(paused)).result()
      assert.deepStrictEqual([done.run_id, done.text], [paused.run_id, "around inner"])
    }))

  it.live("a run that is not awaited is refused with what is missing", () => {
    const promise: RunOutput = Promise.resolve({}) as never
    for (const decide of [() => approve(promise), () => reject(promise), () => answer(promise)]) {
      assert.throws(decide, "The run is a promise. Write await before it")
    }
    return withSvc({}, async (svc) => {
      const failed = await svc.agent("a").get(promise).catch(String)
      assert.strictEqual(failed, "TypeError: This run is not awaited. Write await before it")
    })
  })

  it.live("a run of a test, an agent in place of its id, and what is no file are refused with what to write", () =>
    withSvc({}, async (svc) => {
      const agent = svc.agent("a")
      const ofTest: RunOutput = { output: { run_id: "r", session_id: "s" }, status: "PAUSED" } as never
      const missing = "TypeError: This is a run of a test. Write .output after it"
      assert.strictEqual(await agent.continue(ofTest, {}).catch(String), missing)
      assert.strictEqual(await agent.send(ofTest, "paid").catch(String), missing)
      assert.throws(() => approve(ofTest), "This is a run of a test. Write .output after it")
      const sent = await agent.send("r" as never, "paid").catch(String)
      assert.strictEqual(sent, "TypeError: This is no run, but the text 'r'. Give what run(…) returned, or its ids")
      assert.throws(
        () => svc.agent({ id: "desk" } as never),
        "This is no id: an object. Give its id, 'desk'"
      )
      for (const file of ["a.txt", null, new Uint8Array([1]).buffer]) {
        assert.strictEqual(
          await agent.run({ message: "x", files: [file] } as never).catch(String),
          "TypeError: A file is a Blob, { name, data }, or { path } in Node"
        )
      }
      const named = await agent.run({ prompt: "x" } as never).catch(String)
      assert.strictEqual(
        named,
        "TypeError: The run has no message. It is in 'prompt': write message in its place, or around it if it is a " +
          "field of the input: { message: { prompt: … } }"
      )
    }))

  it("calls that are decided already are not decided again", () => {
    const of = (id: string, decided: object) => ({
      id,
      ...decided,
      tool_execution: { external_execution_required: id === "open" }
    })
    const requirements = [
      of("confirmed", { confirmation: true }),
      of("rejected", { confirmation: false }),
      of("done", { external_execution_result: "7" }),
      of("given", { user_input_schema: [{ name: "a", value: 1 }] }),
      of("approved", { approval_status: "approved" }),
      of("open", {})
    ]
    const run = { status: "PAUSED", requirements }
    for (const decided of [approve(run), reject(run), answer(run, undefined, { result: "8" })]) {
      assert.deepStrictEqual((decided.requirements as ReadonlyArray<{ id: string }>).map(({ id }) => id), ["open"])
    }
    assert.throws(() => answer(run, { a: 2 }), "The run asks for no 'a'. It asks for no values")
    const step = { requires_executor_input: true, executor_requirements: requirements }
    const { step_requirements: steps } = approve({ status: "PAUSED", step_requirements: [step] })
    const [sentStep] = steps as ReadonlyArray<typeof step>
    assert.deepStrictEqual(sentStep?.executor_requirements.map(({ id }) => id), ["open"])
  })

  it("a paused run of a list has no requirements, and is not decided in silence", () => {
    const listed = { run_id: "r", status: "PAUSED", tools: [{ requires_confirmation: true }] } as never
    for (const decide of [() => approve(listed), () => reject(listed), () => answer(listed), () => sent(listed, "e")]) {
      assert.throws(
        decide,
        "This paused run has no requirements, as one of a list or a history. Read it with get(run) first"
      )
    }
    assert.deepStrictEqual<unknown>(approve({ status: "COMPLETED" } as never), { requirements: [] })
  })

  it.live("an event that is sent twice with one run counts once, and with its ids for what it waits for now", () =>
    withSvc({ workflows: formWorkflows }, async (svc) => {
      const flow = svc.workflow("twice")
      const paused = await flow.run("Go")
      const again = await flow.send(paused, "paid", "first")
      assert.strictEqual(again.status, "PAUSED")
      const repeated: unknown = await flow.send(paused, "paid", "first").catch((error: unknown) => error)
      assert.include(String(repeated), "does not wait for requirement")
      const { run_id, session_id } = paused
      assert.strictEqual((await flow.send({ run_id, session_id }, "paid", "second")).text, "first second")
    }))

  it("what the run does not ask for is refused, because it would be lost and the call be executed without it", () => {
    const call = { tool_execution: { user_input_schema: [{ name: "address" }, { name: "note" }] } }
    const outside = { tool_execution: { external_execution_required: true } }
    const confirmation = { tool_execution: { requires_confirmation: true } }
    const field = { user_input_schema: [{ name: "room" }] }
    const ofCalls = (...executor_requirements: ReadonlyArray<unknown>) => [
      field,
      { requires_executor_input: true, executor_requirements }
    ]
    const router = { requires_route_selection: true, available_choices: ["left"] }
    const agent = (...requirements: ReadonlyArray<unknown>) => ({ requirements })
    const flow = (...step_requirements: ReadonlyArray<unknown>) => ({ step_requirements })
    const refusals: ReadonlyArray<
      readonly [object, Parameters<typeof answer>[1], Parameters<typeof answer>[2], string]
    > = [
      [agent(confirmation, call), { adress: "x" }, {}, "no 'adress'. It asks for 'address', 'note'"],
      [agent(confirmation), { phone: 1 }, {}, "no 'phone'. It asks for no values"],
      [flow(field), { rooom: "x" }, {}, "no 'rooom'. It asks for 'room'"],
      [flow({ requires_confirmation: true }), { phone: 1 }, {}, "no 'phone'. It asks for no values"],
      [flow(...ofCalls(call)), { room: "x" }, {}, "no 'room'. It asks for 'address', 'note'"],
      [{ error_requirements: [{}] }, { room: "x" }, {}, "no 'room'. It asks for no values"],
      [agent(call), { address: "x" }, { result: 1 }, "no result"],
      [flow(field), { room: "x" }, { result: 1 }, "no result"],
      [flow(field), undefined, { choices: ["left"] } as object, "no choices"],
      [agent(outside), undefined, { choices: ["left"] } as object, "no choices"]
    ]
    for (const [run, values, more, message] of refusals) {
      assert.throws(() => answer(run as never, values, more), `The run asks for ${message}`)
    }
    const taken = [
      answer(agent(confirmation, call) as never, { note: null }),
      answer(agent(outside) as never, undefined, { result: 1 }),
      answer(flow(...ofCalls(outside)) as never, {}, { result: 1 }),
      answer(flow(router) as never, undefined, { choices: ["left"] } as object)
    ]
    assert.lengthOf(taken, 4)
  })
})
