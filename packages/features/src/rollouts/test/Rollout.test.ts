// How a rollout changes by a request, by a stop of its guard and by its end.
import { assert, describe, it } from "@effect/vitest"
import * as Component from "@svc-runtime/domain/Component"
import * as Rollout from "../Rollout.ts"

const by = { at: 10, by: "ann" }

const started = (versions: ReadonlyArray<Rollout.ShareInput>) =>
  Rollout.start(
    { versions, guard: { max_error_rate: 0.1 } },
    { id: Rollout.Id.make("r"), component_id: Component.Id.make("c"), component_type: "agent", base_version: 1 },
    by
  )

const two = [{ version: 1, share: 90 }, { version: 2, share: 10 }]

const sharesOf = ({ versions }: Rollout.Stored) => versions.map(({ share, version }) => [version, share])

describe("a rollout", () => {
  it("each change raises its revision and is in its history, with who made it and a sentence", () => {
    const changed = Rollout.change(started(two), { versions: [{ version: 2, share: 100 }] }, { at: 20, by: null })
    assert.strictEqual(changed.revision, 2)
    assert.deepStrictEqual(changed.history.map(({ action, at, by, reason }) => [action, at, by, reason]), [
      ["started", 10, "ann", "Started with version 1 90 %, version 2 10 %"],
      ["changed", 20, null, "Changed to version 2 100 %"]
    ])
    const ended = Rollout.end(changed, "It was stopped", by)
    assert.deepInclude(ended, { state: "ended", reason: "It was stopped", revision: 3 })
  })

  it("a version that the guard stops loses its share to the current version", () => {
    const three = [{ version: 2, share: 10 }, { version: 3, share: 90 }]
    const once = Rollout.stopVersions(started(three), new Map([[2, "Bad"]]), 20)
    assert.deepStrictEqual(sharesOf(once), [[1, 10], [2, 0], [3, 90]])
    assert.deepInclude(once, { state: "active", stops: 1, reason: "Bad" })
    const twice = Rollout.stopVersions(once, new Map([[3, "Slow"]]), 30)
    assert.deepStrictEqual(sharesOf(twice), [[1, 100], [2, 0], [3, 0]])
    assert.deepInclude(twice, { state: "stopped", stops: 2, reason: "Slow" })
    assert.deepStrictEqual(twice.spans, [{ version: 1, length: 10_000 }])
    assert.deepStrictEqual(twice.versions.map(({ stopped_reason }) => stopped_reason), [null, "Bad", "Slow"])
  })

  it("a stopped rollout continues with new shares, and the guard counts from then on", () => {
    const stopped = Rollout.stopVersions(started(two), new Map([[2, "Bad"]]), 20)
    assert.strictEqual(Rollout.change(stopped, { guard: null }, { at: 30, by: null }).state, "stopped")
    const again = Rollout.change(stopped, { versions: two }, { at: 30, by: null })
    assert.deepInclude(again, { state: "active", reason: null, decided_at: 30 })
    assert.isNull(again.versions[1]?.stopped_reason)
  })

  it("the history keeps the newest 200 entries", () => {
    let rollout = started(two)
    for (let count = 0; count < 300; count++) rollout = Rollout.change(rollout, { guard: null }, by)
    assert.strictEqual(rollout.history.length, 200)
    assert.strictEqual(rollout.revision, 301)
  })
})
