// The JSON schema of the answer to a question, for clients that make a form of it.
import type * as Json from "@svc-runtime/domain/Json"
import type { Field, Question } from "./Question.ts"

const object = (properties: Json.Object, required: ReadonlyArray<string>): Json.Object => ({
  type: "object",
  properties,
  required: [...required]
})

const note = { type: "string", description: "Why" }
const accepted = { type: "boolean" }

const fieldSchema = ({ allowed, description, type }: Field): Json.Object => ({
  type,
  ...(description === undefined ? {} : { description }),
  ...(allowed === undefined ? {} : { enum: [...allowed] })
})

const valuesSchema = (fields: ReadonlyArray<Field>): Json.Object =>
  object(
    Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
    fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  )

export const of = (
  { allowsSeveral, choices, fields, kind }: Pick<Question, "kind" | "fields" | "choices" | "allowsSeveral">
): Json.Object => {
  switch (kind) {
    case "confirmation":
      return object({ accepted, note, editedArgs: { type: "object" } }, ["accepted"])
    case "step_confirmation":
      return object({ accepted, note }, ["accepted"])
    case "user_input":
    case "step_input":
      return object({ accepted, note, values: valuesSchema(fields) }, ["values"])
    case "external_execution":
      return object({ result: {}, accepted, note }, ["result"])
    case "unknown_outcome":
      return object({ result: {}, accepted, note }, [])
    case "route_choice": {
      const items = { type: "string", enum: [...choices] }
      return object({ choices: { type: "array", items, minItems: 1, ...(allowsSeveral ? {} : { maxItems: 1 }) } }, [
        "choices"
      ])
    }
    case "output_review":
      return object({ accepted, note, output: {} }, ["accepted"])
    case "failed_step":
      return object({ decision: { type: "string", enum: ["retry", "skip"] } }, ["decision"])
  }
}
