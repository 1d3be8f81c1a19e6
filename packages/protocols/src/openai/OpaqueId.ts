// Ids that lead back to a run. The API of OpenAI names neither the run nor its session in later requests, so the ids of
// responses and of open calls contain them. They are no secret: ownership is checked by the store.
import * as Ids from "@svc/domain/Ids"
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

const Parts = Schema.fromJsonString(Schema.Array(Ids.IdInput))
const decodeParts = Schema.decodeUnknownOption(Parts)

const make = (prefix: string, parts: ReadonlyArray<string>): string =>
  `${prefix}_${Base64Url.encode(JSON.stringify(parts))}`

const read = (prefix: string, id: string, length: number): ReadonlyArray<string> | undefined => {
  if (!id.startsWith(`${prefix}_`)) return undefined
  const text = Base64Url.decodeString(id.slice(prefix.length + 1))
  const parts = Result.isFailure(text) ? Option.none() : decodeParts(text.success)
  return Option.isSome(parts) && parts.value.length === length ? parts.value : undefined
}

export interface RunAddress {
  readonly run_id: string
  readonly session_id: string
}

export const ofResponse = ({ run_id, session_id }: RunAddress): string => make("resp", [run_id, session_id])

/** Undefined for an id that is none of a response. */
export const readResponse = (id: string): RunAddress | undefined => {
  const [run_id, session_id] = read("resp", id, 2) ?? []
  return run_id === undefined || session_id === undefined ? undefined : { run_id, session_id }
}

export interface CallAddress extends RunAddress {
  readonly toolCallId: string
}

export const ofCall = ({ run_id, session_id, toolCallId }: CallAddress): string =>
  make("call", [run_id, session_id, toolCallId])

/** Undefined for an id that is none of an open call. */
export const readCall = (id: string): CallAddress | undefined => {
  const [run_id, session_id, toolCallId] = read("call", id, 3) ?? []
  return run_id === undefined || session_id === undefined || toolCallId === undefined
    ? undefined
    : { run_id, session_id, toolCallId }
}
