// Calls of Telegram's Bot API: https://core.telegram.org/bots/api
import * as Json from "@svc-runtime/domain/Json"
import { Redacted } from "effect"
import type { Context } from "../Adapter.ts"
import type { Reason } from "../ChannelError.ts"
import * as Http from "../Http.ts"

export interface TelegramApi {
  readonly http: Http.Api
  readonly token: Redacted.Redacted
  readonly url: string
}

const numberOf = (parameters: Json.Value | undefined, name: string): number | undefined => {
  const value = Json.isObject(parameters) ? parameters[name] : undefined
  return typeof value === "number" ? value : undefined
}

/** A chat refuses with 403 and 400: the bot may still write in others. An unknown token is answered with 404. */
const reasonOf = (status: number, text: string): Reason | undefined => {
  if (status === 401 || (status === 404 && text === "Not Found")) return "unauthorized"
  if (status === 409) return text.includes("webhook") ? "unauthorized" : "temporary"
  return status === 403 ? "permanent" : undefined
}

/** A group has another id now. */
class Migrated extends Error {
  readonly chat: number
  constructor(chat: number) {
    super("Telegram has given the group another id")
    this.chat = chat
  }
}

const problemOf = ({ body, status }: Http.Answer): Http.Problem | undefined => {
  if (!Json.isObject(body)) return undefined
  if (body["ok"] === true) return undefined
  const chat = numberOf(body["parameters"], "migrate_to_chat_id")
  if (chat !== undefined) throw new Migrated(chat)
  const text = typeof body["description"] === "string" ? body["description"] : `status ${status}`
  return { reason: reasonOf(status, text), text, retryAfter: numberOf(body["parameters"], "retry_after") }
}

export const make = (token: Redacted.Redacted, url: string): TelegramApi => ({
  http: { platform: "Telegram", secrets: [token], problemOf },
  token,
  url
})

/** A file is sent as a form, everything else as JSON. */
export type Parameters = Readonly<Record<string, Json.Value | Blob | undefined>>

const isBlob = (value: Json.Value | Blob | undefined): value is Blob => value instanceof Blob

const formOf = (parameters: Parameters, name: string): FormData => {
  const form = new FormData()
  for (const [key, value] of Object.entries(parameters)) {
    if (isBlob(value)) form.append(key, value, name)
    else if (value !== undefined) form.append(key, typeof value === "string" ? value : JSON.stringify(value))
  }
  return form
}

const methodUrl = ({ token, url }: TelegramApi, method: string): string =>
  `${url}/bot${Redacted.value(token)}/${method}`

/** The result of a method. `name` is that of the file, if there is one. */
export const call = async (
  api: TelegramApi,
  method: string,
  parameters: Parameters,
  context: Context,
  name = "file"
): Promise<Json.Value> => {
  const hasFile = Object.values(parameters).some(isBlob)
  const body = hasFile ? { body: formOf(parameters, name) } : { json: parameters }
  const answer = await Http.object(api.http, { name: method, url: methodUrl(api, method), ...body }, context)
  return answer["result"] ?? null
}

/**
 * The same for a method of a chat. A group that has become a supergroup has another id, which Telegram says: the call
 * is repeated with it.
 */
export const callChat = async (
  api: TelegramApi,
  method: string,
  parameters: Parameters,
  context: Context,
  name?: string
): Promise<Json.Value> => {
  try {
    return await call(api, method, parameters, context, name)
  } catch (error) {
    if (!(error instanceof Migrated)) throw error
    return call(api, method, { ...parameters, chat_id: error.chat }, context, name)
  }
}

export const downloadFile = ({ http, token, url }: TelegramApi, path: string, context: Context): Promise<Uint8Array> =>
  Http.download(
    http,
    { name: "the download of a file", url: `${url}/file/bot${Redacted.value(token)}/${path}` },
    context
  )
