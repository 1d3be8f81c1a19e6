// Ids that lead back to a run. The API of OpenAI names neither the run nor its session in later requests, so the ids of
// responses, of their items and of open calls contain them. They are no secret: ownership is checked by the store.
import * as Ids from "@svc-runtime/domain/Ids"
import { Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"

/** Ids of earlier releases have no model. Only a response that continues its run says where. */
const Run = Schema.Union([
  Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String, Schema.Natural]),
  Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String]),
  Schema.Tuple([Ids.IdInput, Ids.IdInput])
])
/** Providers choose the ids of calls: they have no limit of their own. */
const Call = Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String])
const Item = Schema.Tuple([Ids.IdInput, Ids.IdInput, Schema.String, Schema.Natural, Schema.Natural])

type Parts = ReadonlyArray<string | number>

const make = (prefix: string, parts: Parts): string => `${prefix}_${Base64Url.encode(JSON.stringify(parts))}`

const reader = <A>(prefix: string, parts: Schema.Codec<A, Parts>) => {
  const decode = Schema.decodeUnknownOption(Schema.fromJsonString(parts))
  return (id: string): A | undefined => {
    if (!id.startsWith(`${prefix}_`)) return undefined
    const text = Base64Url.decodeString(id.slice(prefix.length + 1))
    return Result.isFailure(text) ? undefined : Option.getOrUndefined(decode(text.success))
  }
}
const runIn = reader("resp", Run)
const callIn = reader("call", Call)

const itemTypes = ["msg", "fc", "rs"] as const
const itemsIn = { msg: reader("msg", Item), fc: reader("fc", Item), rs: reader("rs", Item) }

export interface RunAddress {
  readonly run_id: string
  readonly session_id: string
}

export interface ResponseAddress extends RunAddress {
  /** The name of the component. */
  readonly model?: string | undefined
  /** The index of its first event, if it continues its run: clients keep one response for each id. */
  readonly from?: number | undefined
}

export const ofResponse = ({ from, model = "", run_id, session_id }: ResponseAddress): string =>
  make("resp", [run_id, session_id, model, ...(from === undefined ? [] : [from])])

/** Undefined for an id that is none of a response. */
export const readResponse = (id: string): ResponseAddress | undefined => {
  const [run_id, session_id, model, from] = runIn(id) ?? []
  return run_id === undefined || session_id === undefined ? undefined : { run_id, session_id, model, from }
}

/** Completions cannot be read later. */
export const ofCompletion = ({ from, run_id }: Omit<ResponseAddress, "model">): string =>
  from === undefined ? `chatcmpl-${run_id}` : `chatcmpl-${run_id}-${from}`

export interface ItemPlace {
  /** The index of the event with which it begins. */
  readonly event: number
  /** Among the items that begin with the event. */
  readonly number?: number | undefined
}

/** The same in each response that has the item, streamed or not. */
export const ofItem = (
  type: typeof itemTypes[number],
  { model = "", run_id, session_id }: ResponseAddress,
  { event, number = 0 }: ItemPlace
): string => make(type, [run_id, session_id, model, event, number])

/** The message of the user. No text of a run has a number. */
export const ofInput = (address: ResponseAddress): string => ofItem("msg", address, { event: 0, number: 1 })

export interface NamedItem extends ItemPlace {
  readonly type: typeof itemTypes[number]
}

/** Where the item is found. Undefined for an id that is none of an item. */
export const readItem = (id: string): { readonly address: ResponseAddress; readonly item: NamedItem } | undefined => {
  for (const type of itemTypes) {
    const parts = itemsIn[type](id)
    if (parts === undefined) continue
    const [run_id, session_id, model, event, number] = parts
    return { address: { run_id, session_id, model }, item: { type, event, number } }
  }
  return undefined
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
