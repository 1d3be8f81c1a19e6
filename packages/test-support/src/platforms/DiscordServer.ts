// A server that speaks the part of the HTTP API v10 of Discord that answers need: messages of channels, responses to
// commands, nonces, files and rate limits. It has no gateway.
import { Effect } from "effect"
import { type Answer, formOf, listen, type Request } from "./PlatformListener.ts"

export type Values = Record<string, unknown>

/** A message of the application. */
export interface Message {
  readonly id: string
  readonly channel: string
  values: Values
  /** Names of its files. */
  files: ReadonlyArray<string>
  flags: number
}

export type DiscordServer = Effect.Success<ReturnType<typeof make>>

const failed = (status: number, code: number, message: string): Answer => ({ status, body: { code, message } })

const tooLong = failed(400, 50035, "Invalid Form Body")

const isLoading = 1 << 7

const isValid = ({ components = [], content, nonce }: Values, files: ReadonlyArray<string>): boolean => {
  const rows = components as ReadonlyArray<{ readonly components: ReadonlyArray<Values> }>
  const buttons = rows.flatMap(({ components }) => components)
  const text = String(content ?? "")
  return text.length <= 2000 && (text !== "" || files.length > 0) && String(nonce ?? "").length <= 25 &&
    rows.length <= 5 && rows.every(({ components }) => components.length <= 5) &&
    buttons.every(({ custom_id, label }) => String(custom_id).length <= 100 && String(label).length <= 80)
}

const readBody = async (
  request: Request
): Promise<{ readonly values: Values; readonly files: ReadonlyArray<string> }> => {
  if (!request.headers["content-type"]?.startsWith("multipart/")) {
    return { values: JSON.parse(request.body.toString() || "{}") as Values, files: [] }
  }
  const entries = [...await formOf(request)]
  return {
    values: JSON.parse(String(entries.find(([name]) => name === "payload_json")?.[1] ?? "{}")) as Values,
    files: entries.flatMap(([, value]) => value instanceof File ? [value.name] : [])
  }
}

/** A server for one application, for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*() {
  const token = "MTIz.GabcDe.test-token_of-the-application"
  const application = "900"
  const channels = new Set<string>(["5"])
  /** Channels of the tokens of interactions. */
  const tokens = new Map<string, string>()
  const messages: Array<Message> = []
  const limits: Array<Answer> = []
  const calls: Array<string> = []
  let next = 1000

  const add = (channel: string, values: Values, files: ReadonlyArray<string>, flags = 0): Message => {
    const message = { id: String(next++), channel, values, files, flags }
    messages.push(message)
    return message
  }

  const wire = ({ channel, flags, id, values }: Message): Answer => ({
    headers: { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "4", "x-ratelimit-reset-after": "1" },
    body: { id, channel_id: channel, flags, content: values["content"] }
  })

  const created = (channel: string, values: Values, files: ReadonlyArray<string>): Answer => {
    if (!isValid(values, files)) return tooLong
    const same = messages.find((message) => message.channel === channel && message.values["nonce"] === values["nonce"])
    return values["enforce_nonce"] === true && same !== undefined ? wire(same) : wire(add(channel, values, files))
  }

  const changed = (found: Message | undefined, values: Values, files: ReadonlyArray<string>): Answer => {
    if (found === undefined) return failed(404, 10008, "Unknown Message")
    if (!isValid(values, files)) return tooLong
    Object.assign(found, { values: { ...found.values, ...values }, files, flags: 0 })
    return wire(found)
  }

  const answer = async (request: Request): Promise<Answer> => {
    calls.push(`${request.method} ${request.path}`)
    if (request.headers["authorization"] !== `Bot ${token}`) return failed(401, 0, "401: Unauthorized")
    const limit = limits.shift()
    if (limit !== undefined) return limit
    // a path of a webhook has the token before the messages
    const [kind, id = "", ...rest] = request.path.split("/").slice(1)
    const given = rest[0] ?? ""
    const message = rest.at(-1)
    const { files, values } = await readBody(request)
    // the conversation with a person
    if (kind === "users" && given === "channels") return { body: { id: "5", type: 1 } }
    if (kind === "users") return { body: { id: "900", username: "desk" } }
    if (kind === "channels") {
      if (!channels.has(id)) return failed(404, 10003, "Unknown Channel")
      if (request.method === "POST") return created(id, values, files)
      return changed(messages.find((found) => found.channel === id && found.id === message), values, files)
    }
    const channel = tokens.get(given)
    if (kind !== "webhooks" || id !== application) return failed(404, 0, "404: Not Found")
    if (channel === undefined) return failed(404, 10015, "Unknown Webhook")
    if (request.method === "POST") return created(channel, values, files)
    const found = messages.find((one) => one.id === (message === "@original" ? `original-${given}` : message))
    return request.method === "PATCH" ? changed(found, values, files) : wire(found!)
  }

  const { url } = yield* listen(answer)

  return {
    url,
    token,
    application,
    calls: calls as ReadonlyArray<string>,
    messages: messages as ReadonlyArray<Message>,
    /** A command was answered with a deferred response: its message is awaited. */
    defer: (given: string, channel = "5") => {
      tokens.set(given, channel)
      messages.push({ id: `original-${given}`, channel, values: {}, files: [], flags: isLoading })
    },
    /** The next call is refused, for so many seconds. */
    limit: (seconds: number) =>
      void limits.push({
        status: 429,
        headers: { "retry-after": String(Math.ceil(seconds)) },
        body: { message: "You are being rate limited.", retry_after: seconds, global: false }
      })
  }
})
