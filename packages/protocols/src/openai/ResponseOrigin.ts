// What a response was made with, as it is kept with its run: in its metadata, under `openai`.
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { ResponseRequest } from "./ResponseRequest.ts"

const Origin = Schema.Struct({
  previous_response_id: Schema.optionalKey(Schema.String),
  instructions: Schema.optionalKey(Schema.String)
})
type Origin = typeof Origin.Type

export const key = "openai"

const decode = Schema.decodeUnknownOption(Origin)

/** Whether the client uses the key for its own metadata. */
export const isReserved = ({ metadata }: ResponseRequest): boolean => metadata?.[key] !== undefined

/** The metadata of the run. Undefined without any. */
export const begun = (
  { instructions, metadata, previous_response_id }: ResponseRequest
): Json.Object | undefined => {
  const origin: Origin = {
    ...(typeof previous_response_id === "string" ? { previous_response_id } : {}),
    ...(typeof instructions === "string" ? { instructions } : {})
  }
  if (Object.keys(origin).length === 0) return metadata ?? undefined
  return { ...metadata, [key]: origin }
}

export const of = (metadata: Json.Object | null | undefined): Origin =>
  Option.getOrElse(decode(metadata?.[key]), (): Origin => ({}))

/** The metadata of the client. */
export const without = (metadata: Json.Object | null | undefined): Json.Object => {
  const { [key]: _, ...rest } = metadata ?? {}
  return rest
}
