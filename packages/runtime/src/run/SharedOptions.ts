// What a caller may choose for a run of any kind of component, beside its input.
import * as Json from "@svc/domain/Json"
import type * as RunOption from "@svc/domain/RunOption"
import { Schema } from "effect"

export type SharedOptions = RunOption.Values<typeof RunOption.shared>

/** As they are stored with a run. */
export const fields = {
  session_state: Schema.optionalKey(Json.Object),
  dependencies: Json.Object,
  metadata: Schema.optionalKey(Json.Object)
}

type Stored = Schema.Struct.Type<typeof fields>

export const encode = ({ dependencies, metadata, session_state }: SharedOptions): Stored => ({
  ...(session_state === undefined ? {} : { session_state }),
  dependencies,
  ...(metadata === undefined ? {} : { metadata })
})

export const decode = ({ dependencies, metadata, session_state }: Stored): SharedOptions => ({
  session_state,
  dependencies,
  metadata
})
