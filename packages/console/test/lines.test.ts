import { assert, describe, it } from "@effect/vitest"
import { differences, nearChanges } from "../src/config/lines.ts"

const shown = (before: string, after: string): ReadonlyArray<string> =>
  nearChanges(differences(before.split("\n"), after.split("\n")), 1).map((line) =>
    line.kind === "gap" ? `… ${line.lines}` : `${{ same: " ", removed: "-", added: "+" }[line.kind]}${line.text}`
  )

describe("The lines that differ", () => {
  it("A line of a long text that changes is shown alone, with the lines beside it.", () => {
    assert.deepStrictEqual(
      shown("Zero\nOne\nTwo\nThree\nFour", "Zero\nOne\nZwei\nThree\nFour"),
      ["… 1", " One", "-Two", "+Zwei", " Three", "… 1"]
    )
  })

  it("Lines of both texts remain in their order when nothing is common.", () => {
    assert.deepStrictEqual(differences(["a", "b"], ["c"]).map(({ kind, text }) => `${kind} ${text}`), [
      "removed a",
      "removed b",
      "added c"
    ])
  })

  it("Texts with very many lines are compared without a table of them.", () => {
    const texts = [0, 1].map((which) => Array.from({ length: 5000 }, (_, line) => `${which} ${line}`))
    assert.strictEqual(differences(texts[0] ?? [], texts[1] ?? []).length, 10_000)
  })
})
