// Stored keys keep their form: a journal of an older version is read with the same grammar.
import { assert, describe, it } from "@effect/vitest"
import * as StepKey from "@svc-runtime/agents/workflow/execute/StepKey"

const key = StepKey.child(StepKey.step(StepKey.nested("1"), 2), 0, { iteration: 3 })

describe("The keys of a workflow's journal", () => {
  it("Every kind of key has the stored form", () => {
    assert.deepStrictEqual({
      step: StepKey.step(StepKey.outermost, 1),
      child: StepKey.child("1", 0),
      elseChild: StepKey.child("1", 0, { branch: "else" }),
      iterationChild: StepKey.child("1", 0, { iteration: 2 }),
      path: StepKey.pathOfChild("1", 0, { iteration: 2 }),
      elsePath: StepKey.pathOfChild("1", 0, { branch: "else" }),
      nested: StepKey.step(StepKey.nested("1"), 0),
      choice: StepKey.choice("1"),
      run: StepKey.executorRun("1"),
      iteration: StepKey.iteration("1", 2),
      end: StepKey.iterationEnd("1", 2),
      iterationReview: StepKey.iterationReview("1", 2),
      route: StepKey.routeSelection("1"),
      request: StepKey.request("1", 0),
      attempt: StepKey.attempt("1", 0),
      first: StepKey.repetition("1", 0),
      repetition: StepKey.repetition("1", 1),
      unreviewed: StepKey.unreviewed("1"),
      review: StepKey.outputReview("1"),
      executorRequest: StepKey.executorRequest("1", "r", 0)
    }, {
      step: "1",
      child: "1/0",
      elseChild: "1/else/0",
      iterationChild: "1/#2/0",
      path: "1/0",
      elsePath: "1/else/0",
      nested: "1/>/0",
      choice: "1/choice",
      run: "1/run",
      iteration: "1/#2",
      end: "1/#2/end",
      iterationReview: "1/#2/?",
      route: "1/?route",
      request: "1?0",
      attempt: "1!0",
      first: "1",
      repetition: "1~1",
      unreviewed: "1=",
      review: "1?review",
      executorRequest: "1@r?0"
    })
  })

  it("A key names the steps and iterations that contain it", () => {
    assert.strictEqual(key, "1/>/2/#3/0")
    assert.deepStrictEqual(StepKey.containing(key), ["1", "1/>", "1/>/2", "1/>/2/#3"])
    assert.deepStrictEqual(StepKey.containing("1"), [])
  })

  it("A key belongs to one workflow, and not to those around it or nested in it", () => {
    const inner = StepKey.step(StepKey.nested(key), 0)
    assert.deepStrictEqual(
      [StepKey.outermost, StepKey.nested("1"), StepKey.nested(key)].map((prefix) =>
        ["1", key, inner].map((each) => StepKey.isIn(prefix, each))
      ),
      [[true, false, false], [false, true, false], [false, false, true]]
    )
  })

  it("Only the key of an output under review is unreviewed", () => {
    assert.deepStrictEqual(["1=", "1~1=", "1", "1?review"].map(StepKey.isUnreviewed), [true, true, false, false])
  })
})
