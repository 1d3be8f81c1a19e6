// Ids that lead back to a run. The API of OpenAI names neither the run nor its session in later requests, so the ids of
// responses and of open calls contain them. They are no secret: ownership is checked by the store.
import * as Ids from "@svc-runtime/domain/Ids"
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** Ids of earlier releases have no model. */
const Run = Schema.Union([
  Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String]),
  Schema.Tuple([Ids.IdInput, Ids.IdInput])
])
/** Providers choose the ids of calls: they have no limit of their own. */
const Call = Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String])

const make = (prefix: string, parts: ReadonlyArray<string>): string =>
  `${prefix}_${Base64Url.encode(JSON.stringify(parts))}`

const reader = <A>(prefix: string, parts: Schema.Codec<A, ReadonlyArray<string>>) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(parts))
  return (id: string): A | undefined => {
    if (!id.startsWith(`${prefix}_`)) return undefined
    const text = Base64Url.decodeString(id.slice(prefix.length + 1))
    return Result.isFailure(text) ? undefined : Option.getOrUndefined(decode(text.success))
  }
}
const runIn = reader("resp", Run)
const callIn = reader("call", Call)

export interface RunAddress {
  readonly run_id: string
  readonly session_id: string
}

export interface ResponseAddress extends RunAddress {
  /** The name of the component. */
  readonly model?: string | undefined
}

export const ofResponse = ({ model = "", run_id, session_id }: ResponseAddress): string =>
  make("resp", [run_id, session_id, model])

/** Undefined for an id that is none of a response. */
export const readResponse = (id: string): ResponseAddress | undefined => {
  const [run_id, session_id, model] = runIn(id) ?? []
  return run_id === undefined || session_id === undefined ? undefined : { run_id, session_id, model }
}

export interface CallAddress extends RunAddress {
  readonly toolCallId: string
}

export const ofCall = ({ run_id, session_id, toolCallId }: CallAddress): string =>
  make("call", [run_id, session_id, toolCallId])

/** Undefined for an id that is none of an open call. */
export const readCall = (id: string): CallAddress | undefined => {
  const [run_id, session_id, toolCallId] = callIn(id) ?? []
  return run_id === undefined || session_id === undefined || toolCallId === undefined
    ? undefined
    : { run_id, session_id, toolCallId }
}
