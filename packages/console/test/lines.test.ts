import { assert, describe, it } from "@effect/vitest"
import { differences, linesOf, nearChanges } from "../src/components/lines.ts"

const shown = (before: unknown, after: unknown): ReadonlyArray<string> =>
  nearChanges(differences(linesOf(before), linesOf(after)), 1).map((line) =>
    line.kind === "gap" ? `… ${line.lines}` : `${{ same: " ", removed: "-", added: "+" }[line.kind]}${line.text.trim()}`
  )

describe("The lines that differ", () => {
  it("Values that differ only in the order of their keys are equal.", () => {
    assert.deepStrictEqual(linesOf({ b: [{ d: 1, c: 2 }], a: 1 }), linesOf({ a: 1, b: [{ c: 2, d: 1 }] }))
  })

  it("A line of a long text that changes is shown alone, with the lines beside it.", () => {
    assert.deepStrictEqual(
      shown({ model: "demo", text: "One\nTwo\nThree" }, { model: "demo", text: "One\nZwei\nThree" }),
      ["… 2", " \"text\": \"One", "-Two", "+Zwei", " Three\"", "… 1"]
    )
  })

  it("A key that is added is the only line that differs, also behind the last one.", () => {
    assert.deepStrictEqual(shown({ a: 1 }, { a: 1, b: 2 }), ["… 1", " \"a\": 1", "+\"b\": 2", " }"])
  })

  it("A backslash before an n in a text is no line break.", () => {
    assert.strictEqual(linesOf({ path: "C:\\new" }).length, 3)
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
