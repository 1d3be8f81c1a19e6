// What an author can ask people for before a step, and what the step gets.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { z } from "zod"
import * as Step from "../../src/workflow/define/Step.ts"
import * as UserInput from "../../src/workflow/pause/UserInput.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import * as Harness from "./Harness.ts"

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>() => {}

const fieldsOf = (schema: UserInput.InputSchema) => UserInput.make("Step 'ask'", { schema })?.fields

const field = (name: string, field_type: string, more: object = {}) => ({
  name,
  field_type,
  description: null,
  value: null,
  required: true,
  ...more
})

describe("the fields of a person", () => {
  it("each property is a field with its type, its description, its choices and its default", () => {
    const expected = [
      field("name", "str", { description: "Who it is" }),
      field("count", "int"),
      field("price", "float", { required: false }),
      field("isNew", "bool", { required: false, value: true }),
      field("size", "str", { allowed_values: ["S", "L"] }),
      field("level", "int", { allowed_values: [1, 2] }),
      field("note", "str", { required: false })
    ]
    assert.deepStrictEqual<unknown>(
      fieldsOf(z.object({
        name: z.string().min(1).describe("Who it is"),
        count: z.int(),
        price: z.number().optional(),
        isNew: z.boolean().default(true),
        size: z.enum(["S", "L"]),
        level: z.union([z.literal(1), z.literal(2)]),
        note: z.string().nullable()
      })),
      expected
    )
    assert.deepStrictEqual<unknown>(
      fieldsOf({
        type: "object",
        properties: {
          name: { type: "string", description: "Who it is" },
          count: { type: "integer" },
          price: { type: "number" },
          isNew: { type: "boolean", default: true },
          size: { enum: ["S", "L"] },
          level: { $ref: "#/$defs/Level" },
          note: { type: ["string", "null"] }
        },
        required: ["name", "count", "size", "level", "note"],
        $defs: { Level: { enum: [1, 2] } }
      }),
      expected
    )
    assert.deepStrictEqual<unknown>(
      fieldsOf(Schema.Struct({
        name: Schema.NonEmptyString.annotate({ description: "Who it is" }),
        count: Schema.Int,
        price: Schema.optionalKey(Schema.Finite),
        size: Schema.Literals(["S", "L"]),
        note: Schema.NullOr(Schema.String)
      })),
      [...expected.slice(0, 3), expected[4], expected[6]]
    )
  })

  it("a schema that people cannot fill is refused with the name of the step and the field", () => {
    assert.throws(
      () => fieldsOf(z.string()),
      "Step 'ask': its userInput must be one object, because a person sees a field"
    )
    assert.throws(
      () => fieldsOf(z.object({ at: z.date() })),
      "Step 'ask': its userInput cannot be described to a person (field 'at')"
    )
  })
})

describe("the values of a person", () => {
  it("a function knows the types of the values, and without a schema there are none", () => {
    Step.make({
      name: "typed",
      userInput: { schema: z.object({ age: z.int(), rank: z.string().optional() }) },
      run: ({ input, userInput }) => {
        holds<Same<typeof userInput, { age: number; rank?: string | undefined }>>()
        return `${String(input)} ${userInput.age}`
      }
    })
    Step.make({
      name: "effect",
      userInput: { schema: Schema.Struct({ age: Schema.Int }) },
      run: (step) => step.userInput.age
    })
    Step.make({
      name: "json",
      userInput: { schema: { type: "object", properties: { age: { type: "integer" } } } },
      run: ({ userInput }) => userInput["age"] ?? null
    })
    Step.make({
      name: "none",
      run: ({ userInput }) => {
        holds<Same<typeof userInput, undefined>>()
      }
    })
  })

  it.effect("a step gets the values as its schema decodes them, without the empty ones", () =>
    Effect.gen(function*() {
      const ask = Step.make({
        name: "ask",
        userInput: {
          schema: z.object({
            age: z.int().transform((age) => age + 1),
            rank: z.int().optional(),
            isNew: z.boolean().default(true),
            note: z.string().nullable()
          })
        },
        run: ({ userInput }) => userInput
      })
      const flow = Workflow.make({ id: "w", steps: [ask] })
      const { output } = yield* Harness.go(flow, yield* Harness.run(flow), { user_input: { age: 7, rank: null } })
      assert.deepStrictEqual<unknown>(output.content, { age: 8, isNew: true, note: null })
    }))
})
