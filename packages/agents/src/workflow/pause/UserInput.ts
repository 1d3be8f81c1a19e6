// The values that a person enters before a step. The author describes them with a schema, and people see a field for
// each of its properties, with the types of the wire.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import { type AnySchema, type Infer, type Mismatch, objectOrRefused } from "@svc-runtime/engine/schema/AnySchema"
import * as Form from "@svc-runtime/engine/tool/Form"
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import type { Effect, JsonSchema } from "effect"
import * as Pause from "./Pause.ts"

export type InputSchema = AnySchema | JsonSchema.JsonSchema

/** What a step finds in `input.userInput`. */
export type ValuesOf<S> = S extends AnySchema ? Infer<S> : S extends undefined ? undefined : Json.Object

export interface Options<S extends InputSchema> extends Pause.Options {
  /**
   * An object: zod, another Standard Schema, Effect Schema or JSON Schema. People see the descriptions and defaults of
   * its fields, and can leave out optional and nullable ones.
   */
  readonly schema: S
}

export interface UserInput extends Pause.Pause {
  readonly fields: ReadonlyArray<StepRequirement.InputField>
  readonly jsonSchema: Json.Object
  /** The values as the step gets them. */
  readonly decode: (entered: Json.Object) => Effect.Effect<unknown, Mismatch>
}

export const make = (owner: string, options: Options<InputSchema> | undefined): UserInput | undefined => {
  const pause = Pause.make(owner, options, "userInput", { schema: "any" })
  if (options === undefined || pause === undefined) return undefined
  const what = `${owner}: its userInput`
  const reason = "a person sees a field for each value"
  const { decode, jsonSchema: described } = objectOrRefused(what, options.schema, reason, "a person")
  const jsonSchema = described as Json.Object
  const fields = Form.fieldsOf(jsonSchema)
  if (fields.length === 0) throw new Mistake(`${what} has no fields. Give its schema one for each value`)
  return { ...pause, fields, jsonSchema, decode: (entered) => decode(Form.valuesOf(jsonSchema, entered)) }
}
