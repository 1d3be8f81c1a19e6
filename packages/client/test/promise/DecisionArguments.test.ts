// What is no argument of a decision is refused: it would be lost, and the call be made as if it were confirmed.
import { assert, describe, it } from "@effect/vitest"
import { answer, approve, decideSteps, reject, sent } from "@svc-runtime/client"

const call = { id: "q", tool_execution: { tool_call_id: "c", tool_name: "refund", requires_confirmation: true } }
const waiting = (event: string) => ({ id: event, tool_execution: { asked: { event } } })

/** What a person decides about: a call of an agent, of the agent of a step, a step, and a failed step. */
const runs: Readonly<Record<string, object>> = {
  "a call": { status: "PAUSED", requirements: [call] },
  "a call in a step": {
    status: "PAUSED",
    step_requirements: [{ id: "s", resolved: false, requires_executor_input: true, executor_requirements: [call] }]
  },
  "a step": { status: "PAUSED", step_requirements: [{ id: "s", resolved: false, requires_confirmation: true }] },
  "a failed step": { status: "PAUSED", error_requirements: [{ id: "s", step_name: "pay" }] }
}
const invoice = { status: "PAUSED", requirements: [waiting("paid")] }

const apply = (decision: (...given: ReadonlyArray<never>) => unknown, ...given: ReadonlyArray<unknown>) => () =>
  Reflect.apply(decision, undefined, given)

const values = "answer(run, values) takes values by the names of their fields"
const named = `${values}, such as { name: … }, and was given`
const more = "answer(run, values, more) takes { result: … } or { choices: [ … ] } as its last argument"
const decided = "Confirm with approve(run), and decline with reject(run)"

const wrong: ReadonlyArray<readonly [given: ReadonlyArray<unknown>, sentence: string]> = [
  [[false], `${values}, and was given false. Write reject(run)`],
  [[true], `${values}, and was given true. Write approve(run)`],
  [[0], `${named} 0`],
  [[""], `${values}: { name: "" }`],
  [["no"], `${values}: { name: "no" }`],
  [[[]], `${named} a list`],
  [[new Map([["a", 1]])], `${named} a Map. Write Object.fromEntries(…) around it`],
  [[new Set(["a"])], `${named} a Set. Write [...…] around it`],
  [[new Date(0)], `${named} a Date`],
  [[() => false], `${named} a function`],
  [[new Boolean(false)], `${named} false`],
  [[new (class {})()], `${named} an instance of a class without a name`],
  [[Symbol("no")], `${named} a symbol`],
  [[5n], `${named} a bigint`],
  [[Promise.resolve({})], `${named} a Promise. Write await before it`],
  [[{}, { confirmed: false }], `${more}, and no 'confirmed'. ${decided}`],
  [[undefined, { resul: 1 }], `${more}, and no 'resul'. ${decided}`],
  [[{}, "text"], `${more}, and was given 'text'`],
  [[{}, new Map([["result", 1]])], `${more}, and was given a Map. Write Object.fromEntries(…) around it`],
  [[{}, {}, { confirmed: false }], `${more}, and was given an object`],
  [[{}, { choices: "a" }], "The choices of answer(run, values, { choices }) are a list of names, and not 'a'"]
]

describe("an answer", () => {
  it.each(Object.keys(runs))(
    "what is no object of values, or more than it takes, declines nothing and confirms nothing: %s",
    (name) => {
      for (const [given, sentence] of wrong) assert.throws(apply(answer, runs[name], ...given), sentence)
      assert.throws(() => [runs[name]].map(answer as () => unknown), `${named} 0`)
    }
  )

  it.each(Object.keys(runs))("no values, an empty object and options that are not set confirm: %s", (name) => {
    const confirmed = apply(approve, runs[name])()
    const without = [[], [undefined], [null], [{}], [{}, undefined], [{}, null], [{}, {}]]
    const unset = [[{}, { result: undefined }, undefined], [{}, { confirmed: undefined }], [null, null, null]]
    for (const given of [...without, ...unset]) {
      assert.deepEqual(apply(answer, runs[name], ...given)(), confirmed)
    }
  })
})

describe("arguments that map gives", () => {
  it.each(Object.keys(runs))("only the place and the list of the run itself are nothing to decide by: %s", (name) => {
    const run = runs[name]
    for (const decision of [approve, reject]) {
      const decide = decision as (...given: ReadonlyArray<never>) => unknown
      assert.deepEqual([run].map(decide as () => unknown), [apply(decide, run)()])
      for (const given of [[18, [99]], [0, [{ ...run }]], [1, [run]], [0, [run], "more"], [0, run]]) {
        assert.throws(
          apply(decide, run, ...given),
          /^(approve\(run\) takes only the run|reject\(run, note\) takes the run)/
        )
      }
    }
    for (const given of [["a", { x: 1 }], ["a", "b"], [undefined, "b"], [5], [{ note: "a" }]]) {
      assert.throws(apply(reject, run, ...given), "reject(run, note) takes the run and a note, which is a text")
    }
  })

  it("arguments of a call are named only where a call waits", () => {
    for (const name of ["a call", "a call in a step"]) assert.throws(apply(approve, runs[name], "note"), "tool_args")
    for (const name of ["a step", "a failed step"]) {
      assert.throws(
        apply(approve, runs[name], "note"),
        "approve(run) takes only the run. A reason is for reject(run, note)"
      )
    }
  })
})

describe("an event", () => {
  const what = "sent(run, event, value) takes the name of an event and one value"

  it("an event without a name, and a second value, are refused", () => {
    assert.throws(apply(sent, invoice), `${what}. Its event is undefined`)
    assert.throws(apply(sent, invoice, ""), `${what}. Its event is ''`)
    assert.throws(apply(sent, invoice, { event: "paid" }), `${what}. Its event is an object`)
    assert.throws(apply(sent, invoice, "paid", 1, 2), `${what}. Write { … } around several values`)
  })

  it("objects of primitives are these", () => {
    for (const value of [5, 0, false, "", "text"]) {
      assert.deepEqual(apply(sent, invoice, "paid", Object(value))(), apply(sent, invoice, "paid", value)())
    }
    assert.throws(apply(sent, invoice, "paid", new Number(NaN)), "JSON has nothing of 'the event', which is NaN")
  })

  it("numbers that JSON does not have are refused, in a part and in a result, too", () => {
    for (const number of [NaN, Infinity, -Infinity]) {
      assert.throws(apply(sent, invoice, "paid", number), `JSON has nothing of 'the event', which is ${number}`)
      assert.throws(apply(sent, invoice, "paid", { cents: [number] }), `JSON has nothing of '0', which is ${number}`)
    }
    const external = { requirements: [{ tool_execution: { external_execution_required: true } }] }
    assert.throws(apply(answer, external, {}, { result: { cents: NaN } }), "JSON has nothing of 'cents', which is NaN")
  })
})

describe("decisions on steps", () => {
  const what = "decideSteps(run, decisions) takes { ofStep: (step) => … } and { ofError: (failed) => … }"
  const step = "ofStep of decideSteps gives an object, such as { confirmed: true }, or undefined, and gave"

  it("functions under other names, and what these give in another form, are refused", () => {
    for (
      const [given, sentence] of [
        [[], `${what}, and was given undefined`],
        [[() => true], `${what}, and was given a function`],
        [[new Map()], `${what}, and was given a Map. Write Object.fromEntries(…) around it`],
        [[new (class {})()], `${what}, and was given an instance of a class without a name`],
        [[{ yes: true, ofStep: () => ({ confirmed: true }) }], `${what}, and no 'yes'`],
        [[{ ofSteps: () => ({ confirmed: true }) }], `${what}, and no 'ofSteps'`],
        [[{ ofStep: { confirmed: true } }], `${what}, and was given an object in place of a function`],
        [[{ ofStep: () => true }], `${step} true`],
        [[{ ofStep: () => "approve" }], `${step} 'approve'`],
        [[{ ofStep: () => null }], `${step} null`],
        [[{ ofStep: async () => ({ confirmed: true }) }], `${step} a Promise. Write await before it`]
      ] as const
    ) assert.throws(apply(decideSteps, runs["a step"], ...given), sentence)
    assert.throws(
      apply(decideSteps, runs["a failed step"], { ofError: () => true }),
      `ofError of decideSteps gives "retry", "skip" or undefined, and gave true`
    )
    assert.throws(apply(decideSteps, "r", {}), "A decision is about a run, not its id. Read it with get(run)")
  })

  it("functions of an instance, and of an object, have their this", () => {
    class Decisions {
      yes = true
      ofStep() {
        return { confirmed: this.yes }
      }
      ofError() {
        return this.yes ? "retry" : "skip"
      }
    }
    const object = {
      ofStep() {
        return { confirmed: "ofStep" in this }
      },
      ofError() {
        return "ofError" in this ? "retry" : "skip"
      }
    }
    for (const given of [new Decisions(), object]) {
      assert.deepEqual(apply(decideSteps, runs["a step"], given)(), {
        step_requirements: [{ id: "s", confirmed: true }]
      })
      assert.deepEqual(apply(decideSteps, runs["a failed step"], given)(), {
        error_requirements: [{ id: "s", decision: "retry" }]
      })
    }
  })

  it("a function that is left out decides on nothing", () => {
    assert.deepEqual(apply(decideSteps, runs["a step"], {})(), {})
    assert.deepEqual(apply(decideSteps, runs["a failed step"], { ofStep: undefined })(), {})
  })
})
