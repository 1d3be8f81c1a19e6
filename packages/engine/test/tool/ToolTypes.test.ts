// What TypeScript infers for an author. The assertions are types: they hold when the file compiles.
import { describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import { Effect, Schema, type StandardSchema } from "effect"
import { z } from "zod"
import * as Tool from "../../src/tool/Tool.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

describe("execute is typed", () => {
  it("execute gets the parsed type of zod, not its input", () => {
    Tool.make({
      name: "tool",
      parameters: z.object({
        a: z.number(),
        b: z.string().optional(),
        c: z.string().default("x"),
        d: z.enum(["p", "q"])
      }),
      execute: (input) => {
        holds<Same<typeof input, { a: number; b?: string | undefined; c: string; d: "p" | "q" }>>()
      }
    })
  })

  it("execute gets the type of an Effect Schema, not its encoding", () => {
    Tool.make({
      name: "tool",
      parameters: Schema.Struct({ at: Schema.DateTimeUtcFromString, tags: Schema.Array(Schema.String) }),
      execute: ({ at, tags }) => {
        holds<Same<typeof at, typeof Schema.DateTimeUtcFromString.Type>>()
        holds<Same<typeof tags, ReadonlyArray<string>>>()
      }
    })
  })

  it("execute gets the instance of an Effect Schema class", () => {
    class Point extends Schema.Class<Point>("Point")({ x: Schema.Finite }) {}
    Tool.make({
      name: "tool",
      parameters: Point,
      execute: (point) => {
        holds<Same<typeof point, Point>>()
      }
    })
  })

  it("execute gets the output type of a Standard Schema", () => {
    Tool.make({
      name: "tool",
      parameters: {} as never as StandardSchema.StandardSchemaV1<string, { n: number }>,
      execute: (input) => {
        holds<Same<typeof input, { n: number }>>()
      }
    })
  })

  it("execute gets any JSON object for a JSON Schema, and without parameters", () => {
    Tool.make({
      name: "tool",
      parameters: { type: "object", properties: { a: { type: "number" } } },
      execute: (input) => {
        holds<Same<typeof input, Json.Object>>()
      }
    })
    Tool.make({
      name: "tool",
      execute: (input) => {
        holds<Same<typeof input, Json.Object>>()
      }
    })
  })

  it("an argument of a wrong type does not compile", () => {
    Tool.make({
      name: "tool",
      parameters: z.object({ a: z.number() }),
      // @ts-expect-error -- `b` is not among the parameters
      execute: ({ b }) => b
    })
  })

  it("the context has a mutable state and is read-only otherwise", () => {
    Tool.make({
      name: "tool",
      execute: (_, context) => {
        context.sessionState["key"] = [1, "two", null]
        // @ts-expect-error -- dependencies are the caller's
        context.dependencies["key"] = 1
        return Effect.succeed(context.signal)
      }
    })
  })
})
