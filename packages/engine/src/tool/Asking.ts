// The result of a tool that needs values of a person. The run pauses with a form, and then the call is made again, with
// the values and with what the tool has kept. Both are in the journal, so any node can continue.
import type * as Json from "@svc-runtime/domain/Json"
import { Data } from "effect"
import type { Field } from "./Form.ts"

export class Asking extends Data.Class<{
  readonly message: string
  readonly fields: ReadonlyArray<Field>
  /** What the tool gets back with the values. */
  readonly state: Json.Value
}> {}

/** Of a call that is made again. */
export interface Reply {
  readonly values: Json.Object
  /** The person has refused, and this is why. */
  readonly declined?: string | null | undefined
  readonly state: Json.Value
}
