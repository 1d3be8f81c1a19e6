import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { run } from "./Harness.ts"

const nested = (depth: number) => Array.from({ length: depth }).reduce<unknown>((inner) => [inner], 1)

describe("arguments of a tool call that are nested deeper than 200 levels", () => {
  const forms = [
    ["as JSON", { deep: nested(300) }],
    ["as JSON that exhausts the stack", { deep: nested(100_000) }],
    ["as text", `{"deep":${"[".repeat(300)}${"]".repeat(300)}}`]
  ] as const

  it.effect.each(forms)(
    "arguments with %s are refused to the model, and the run continues",
    ([, params]) =>
      Effect.gen(function*() {
        let calls = 0
        const tool = Tool.make({ name: "walk", parameters: { type: "object" }, execute: () => `${++calls}` })
        const { output } = yield* run({ tools: [tool] }, [[toolCall("walk", params)], [text("done")]])
        assert.deepStrictEqual([output.status, output.content, calls], ["COMPLETED", "done", 0])
        assert.match(String(output.tools?.[0]?.result), /Invalid arguments/)
        assert.isBelow(JSON.stringify(output).length, 5000)
      })
  )
})
