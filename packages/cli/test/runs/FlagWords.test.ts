// What the service says that a decision lacks, in words of the command line.
import { assert, describe, it } from "@effect/vitest"
import * as FlagWords from "../../src/service/FlagWords.ts"

const cases = [
  ["confirmation", [], "--approve or --reject"],
  ["values", [], "values with --values"],
  ["values", ["day", "hour"], "values of 'day', 'hour' with --values"],
  ["choices", ["a", "b"], "--choices among 'a', 'b'"],
  ["result", [], "--result TEXT"],
  ["event", ["paid"], "--result JSON"],
  ["outcome", [], "--result TEXT, or --approve, which repeats it, or --reject"],
  ["retry", [], "--approve, which tries it again, or --reject, which skips it"]
] as const

describe("what a decision lacks", () => {
  it.each(cases)("a command line gives it with flags: %s %j", (kind, names, flags) => {
    assert.strictEqual(FlagWords.of({ kind, name: "pay (c)", names }), `pay (c) needs ${flags}`)
  })

  it("a kind that only a later version has gets no words.", () => {
    assert.isUndefined(FlagWords.of({ kind: "signature" as never, name: "pay", names: [] }))
  })
})
