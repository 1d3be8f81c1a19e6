import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as RunStatus from "@svc-runtime/domain/RunStatus"

describe("the transitions of a run", () => {
  it("an ended run never runs again, except when it failed and is continued", () => {
    const running = Run.Status.literals.filter((status) =>
      Object.values(RunStatus.transitions[status]).includes("RUNNING")
    )
    assert.deepStrictEqual(running, ["PENDING", "RUNNING", "PAUSED", "ERROR"])
  })

  it("every status is reached from a new run", () => {
    const reached = new Set<Run.Status>(["PENDING", "RUNNING"])
    for (const status of reached) for (const to of Object.values(RunStatus.transitions[status])) reached.add(to)
    assert.sameMembers([...reached], [...Run.Status.literals])
  })

  it("a run is active, continuable, or neither", () => {
    assert.deepStrictEqual(Run.Status.literals.filter(Run.isActive), ["PENDING", "RUNNING"])
    assert.deepStrictEqual(Run.Status.literals.filter(Run.isContinuable), ["PAUSED", "ERROR"])
  })

  it("a run has ended when it is neither active nor paused", () => {
    assert.deepStrictEqual(RunStatus.active, Run.Status.literals.filter(Run.isActive))
    assert.sameMembers(
      [...RunStatus.active, "PAUSED", ...Run.Status.literals.filter(Run.hasEnded)],
      [...Run.Status.literals]
    )
  })
})
