// Which sessions get which version, and which of them move when shares change.
import { assert, describe, it } from "@effect/vitest"
import * as Places from "../Places.ts"
import * as Shares from "../Shares.ts"

const sessions = Array.from({ length: 10_000 }, (_, index) => `session-${index}`)

const shares = (...parts: ReadonlyArray<readonly [version: number, share: number]>) =>
  parts.map(([version, share]) => ({ version, share }))

const versionsOf = (spans: ReadonlyArray<Shares.Span>, rollout = "rollout") =>
  sessions.map((session) => Shares.versionAt(spans, Places.placeOf(rollout, session)))

const partOf = (versions: ReadonlyArray<number | undefined>, version: number) =>
  versions.filter((each) => each === version).length / versions.length

const sizeOf = (spans: ReadonlyArray<Shares.Span>, version: number) =>
  spans.filter((span) => span.version === version).reduce((sum, { length }) => sum + length, 0)

describe("shares of versions", () => {
  it("10,000 sessions are divided as the shares say, within one percent", () => {
    const spans = Shares.changed(Shares.allOf(1), shares([1, 70], [2, 20.5], [3, 9.5]))
    const versions = versionsOf(spans)
    assert.approximately(partOf(versions, 1), 0.7, 0.01)
    assert.approximately(partOf(versions, 2), 0.205, 0.01)
    assert.approximately(partOf(versions, 3), 0.095, 0.01)
    assert.deepStrictEqual(versionsOf(spans), versions)
  })

  it("a raised share moves only the sessions that the version needs, and a lowered one moves them back", () => {
    const ten = Shares.changed(Shares.allOf(1), shares([1, 80], [2, 10], [3, 10]))
    const twenty = Shares.changed(ten, shares([1, 70], [2, 20], [3, 10]))
    const [before, after] = [versionsOf(ten), versionsOf(twenty)]
    const moved = before.flatMap((version, index) => version === after[index] ? [] : [`${version} ${after[index]}`])
    assert.deepStrictEqual([...new Set(moved)], ["1 2"])
    assert.approximately(moved.length / sessions.length, 0.1, 0.01)
    assert.deepStrictEqual(Shares.changed(twenty, shares([1, 80], [2, 10], [3, 10])), ten)
  })

  it("the places of shares that change many times are exact, and all have a version", () => {
    let spans = Shares.allOf(7)
    for (const next of [[7, 33.34, 8, 33.33, 9, 33.33], [7, 0.01, 8, 99.99, 9, 0], [7, 50, 8, 0, 9, 50]]) {
      const [a = 0, x = 0, b = 0, y = 0, c = 0, z = 0] = next
      spans = Shares.changed(spans, shares([a, x], [b, y], [c, z]))
      assert.deepStrictEqual([a, b, c].map((version) => sizeOf(spans, version)), [x, y, z].map(Shares.partsOf))
    }
  })

  it("sessions are divided in another way in another rollout", () => {
    const spans = Shares.changed(Shares.allOf(1), shares([1, 50], [2, 50]))
    const [one, other] = [versionsOf(spans, "one"), versionsOf(spans, "other")]
    assert.approximately(one.filter((version, index) => version === other[index]).length / sessions.length, 0.5, 0.02)
  })

  it("a share has two decimals at most, and shares are added up exactly", () => {
    assert.deepStrictEqual([0, 100, 0.1, 33.33, 99.99].map(Shares.isShare), [true, true, true, true, true])
    assert.deepStrictEqual([-1, 100.01, 0.001, 33.333, Number.NaN].map(Shares.isShare), Array(5).fill(false))
    assert.strictEqual(Shares.sumOf(shares([1, 0.1], [2, 0.2], [3, 99.7])), 100)
  })
})
