// A tool that computes formulas.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import { compute } from "./arithmetic.ts"
import { expected } from "./expected.ts"
import { check, type ToolOptions } from "./ToolOptions.ts"

const Parameters = Schema.Struct({
  formula: Schema.String.annotate({ description: "Such as 2 * (3 + 4) ^ 2 / sqrt(pi)" })
})

/** Numbers have 64 bits, as in JavaScript. */
export const calculator = (options: ToolOptions = {}): Tool.Tool => {
  check("Toolkit.calculator", options)
  return Tool.make({
    name: "calculator",
    description: "Computes a formula with + - * / % ^, brackets, and functions such as sqrt, round, min, ln and sin.",
    ...options,
    parameters: Parameters,
    effects: "read",
    execute: ({ formula }) => expected(Effect.map(Effect.fromResult(compute(formula)), String))
  })
}
