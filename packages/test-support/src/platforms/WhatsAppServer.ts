// A server that speaks the part of the WhatsApp Cloud API that answers need, for one number, with people who write to
// it. It refuses with the codes of Meta: https://developers.facebook.com/documentation/business-messaging/whatsapp
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { type Answer, formOf, listen, type Request } from "./PlatformListener.ts"

export type Values = Record<string, unknown>

export interface Message {
  readonly id: string
  readonly to: string
  readonly values: Values
}

export type WhatsAppServer = Effect.Success<ReturnType<typeof make>>

const failed = (status: number, code: number, details: string): Answer => ({
  status,
  body: {
    error: {
      message: `(#${code}) ${details}`,
      type: "OAuthException",
      code,
      error_data: { messaging_product: "whatsapp", details },
      fbtrace_id: "Az8or2yhqkZfEZ"
    }
  }
})

const invalid = (details: string): Answer => failed(400, 100, details)

const isIn = (value: unknown, most: number): boolean =>
  typeof value === "string" && value.trim() !== "" && value.length <= most

const isUnique = (values: ReadonlyArray<unknown>): boolean => new Set(values).size === values.length

const buttonsProblem = (body: string, buttons: ReadonlyArray<{ readonly reply: Values }>): string | undefined => {
  if (!isIn(body, 1024)) return "Body text length invalid. Min length: 1, Max length: 1024"
  if (buttons.length < 1 || buttons.length > 3) return "Invalid buttons count. Min allowed buttons: 1, Max: 3"
  const isGood = buttons.every(({ reply }) => isIn(reply["title"], 20) && isIn(reply["id"], 256)) &&
    isUnique(buttons.map(({ reply }) => reply["title"])) && isUnique(buttons.map(({ reply }) => reply["id"]))
  return isGood ? undefined : "Button title length invalid. Min length: 1, Max length: 20"
}

interface Section {
  readonly rows: ReadonlyArray<Values>
}

const listProblem = (body: string, button: unknown, sections: ReadonlyArray<Section>): string | undefined => {
  const rows = sections.flatMap(({ rows }) => rows)
  if (!isIn(body, 4096)) return "Body text length invalid. Min length: 1, Max length: 4096"
  if (!isIn(button, 20)) return "Button length invalid"
  if (rows.length < 1 || rows.length > 10) return "Total row count exceed max allowed count: 10"
  const isGood =
    rows.every(({ description = "-", id, title }) => isIn(title, 24) && isIn(description, 72) && isIn(id, 200)) &&
    isUnique(rows.map(({ id }) => id))
  return isGood ? undefined : "Row title is too long. Max length: 24"
}

const interactiveProblem = (interactive: Values): string | undefined => {
  const { action, body, type } = interactive as {
    readonly type: string
    readonly body: { readonly text: string }
    readonly action: { readonly buttons?: []; readonly button?: string; readonly sections?: ReadonlyArray<Section> }
  }
  if (type === "button") return buttonsProblem(body.text, action.buttons ?? [])
  return type === "list" ? listProblem(body.text, action.button, action.sections ?? []) : "Unknown type"
}

/** Types of files, and their most bytes. */
const types: ReadonlyMap<string, number> = new Map([
  ["image/jpeg", 5],
  ["image/png", 5],
  ["audio/ogg", 16],
  ["audio/mpeg", 16],
  ["video/mp4", 16],
  ["text/plain", 100],
  ["application/pdf", 100]
])

/** A server for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*() {
  const token = "EAAtest_token-of-the-number-of-the-desk"
  const appSecret = "0123456789abcdef0123456789abcdef"
  const verifyToken = "a-token-of-our-own"
  const phoneNumberId = "106540352242922"
  const ann = "15550001111"
  /** Only who has written in the last 24 hours can be written to. */
  const reachable = new Set<string>()
  const received = new Set<string>()
  const messages: Array<Message> = []
  const typing: Array<string> = []
  const uploads = new Map<string, { readonly name: string; readonly type: string; readonly bytes: Uint8Array }>()
  const files = new Map<string, { readonly bytes: Uint8Array; readonly url?: string }>()
  const refusals: Array<Answer> = []
  const calls: Array<string> = []
  let next = 1

  const contentProblem = ({ type, ...values }: Values): Answer | undefined => {
    const content = values[String(type)] as Values | undefined
    if (content === undefined) return invalid(`The parameter ${String(type)} is required`)
    if (type === "text") {
      return isIn(content["body"], 4096)
        ? undefined
        : invalid("Param text['body'] must be at most 4096 characters long.")
    }
    if (type === "interactive") {
      const problem = interactiveProblem(content)
      return problem === undefined ? undefined : failed(400, 131_009, problem)
    }
    const file = uploads.get(String(content["id"]))
    if (file === undefined) return failed(400, 131_053, "Media upload error")
    const isOfKind = type === "document" || file.type.startsWith(`${String(type)}/`)
    return isOfKind ? undefined : failed(400, 131_053, "Media upload error: the type of the media is another one")
  }

  const sent = (values: Values): Answer => {
    if (values["messaging_product"] !== "whatsapp") return invalid("The parameter messaging_product is required.")
    if (values["status"] === "read") {
      const id = String(values["message_id"])
      if (!received.has(id)) return failed(400, 131_009, "Parameter value is not valid")
      typing.push(id)
      return { body: { success: true } }
    }
    const to = String(values["to"])
    const problem = contentProblem(values)
    if (problem !== undefined) return problem
    if (!/^\d{5,20}$/.test(to)) return failed(400, 131_026, "Message undeliverable")
    if (!reachable.has(to)) {
      return failed(
        400,
        131_047,
        "More than 24 hours have passed since the recipient last replied to the sender number."
      )
    }
    const id = `wamid.HBgL${String(next++).padStart(6, "0")}=`
    messages.push({ id, to, values })
    return { body: { messaging_product: "whatsapp", contacts: [{ input: to, wa_id: to }], messages: [{ id }] } }
  }

  const uploaded = async (request: Request): Promise<Answer> => {
    const form = await formOf(request)
    const file = form.get("file")
    if (form.get("messaging_product") !== "whatsapp" || !(file instanceof File)) return invalid("file is required")
    const most = types.get(file.type)
    if (most === undefined || file.type !== form.get("type")) {
      return failed(400, 100, "Param file must be a file with one of the supported types")
    }
    if (file.size === 0 || file.size > most * 2 ** 20) return failed(400, 131_053, "Media file size too big")
    const id = `media${next++}`
    uploads.set(id, { name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) })
    return { body: { id } }
  }

  const answer = async (request: Request): Promise<Answer> => {
    const { headers, method, path } = request
    const name = path.slice(1)
    calls.push(`${method} ${path}`)
    if (headers["authorization"] !== `Bearer ${token}`) return failed(401, 190, "Error validating access token")
    const refusal = refusals.shift()
    if (refusal !== undefined) return refusal
    if (path.startsWith("/files/")) return { body: files.get(path.slice(7))?.bytes ?? "" }
    if (path === `/${phoneNumberId}/messages`) return sent(JSON.parse(request.body.toString()) as Values)
    if (path === `/${phoneNumberId}/media`) return uploaded(request)
    if (path === `/${phoneNumberId}`) {
      return { body: { verified_name: "Acme Desk", display_phone_number: "+1 555-000-0000", id: phoneNumberId } }
    }
    const file = files.get(name)
    if (file === undefined) return failed(400, 100, "Unsupported get request. Object does not exist")
    return { body: { id: name, url: file.url ?? `${url}/files/${name}`, mime_type: "image/png", file_size: 1 } }
  }

  const { url } = yield* listen(answer)

  const bodyOf = (value: Values, number = phoneNumberId): Values => ({
    object: "whatsapp_business_account",
    entry: [{
      id: "102290129340398",
      changes: [{
        field: "messages",
        value: {
          messaging_product: "whatsapp",
          metadata: { display_phone_number: "15550000000", phone_number_id: number },
          ...value
        }
      }]
    }]
  })

  const messageOf = (values: Values): Values => {
    const id = `wamid.IN${String(next++).padStart(6, "0")}=`
    received.add(id)
    const message = { from: ann, id, timestamp: String(Math.floor(Date.now() / 1000)), ...values }
    reachable.add(String(message.from))
    return message
  }

  const contact = { profile: { name: "Ann" }, wa_id: ann }

  /** Bytes with their signature. */
  const signed = (body: string) => ({
    body,
    headers: {
      "content-type": "application/json",
      "x-hub-signature-256": `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`
    } as Record<string, string>
  })

  const say = (...messages: ReadonlyArray<Values>): Values =>
    bodyOf({ contacts: [contact], messages: messages.map(messageOf) })

  return {
    url,
    token,
    appSecret,
    verifyToken,
    phoneNumberId,
    ann,
    messages: messages as ReadonlyArray<Message>,
    typing: typing as ReadonlyArray<string>,
    uploads,
    files,
    calls: calls as ReadonlyArray<string>,
    signed,
    bodyOf,
    requestOf: (payload: Values) => signed(JSON.stringify(payload)),
    /** A person writes, in one request. */
    say,
    text: (body: string, values: Values = {}): Values => say({ type: "text", text: { body }, ...values }),
    /** A person presses a button, or chooses from a list. */
    press: ({ values }: Message, label: string): Values => {
      const { action, type } = values["interactive"] as {
        readonly type: string
        readonly action: { readonly buttons?: ReadonlyArray<{ readonly reply: Values }>; readonly sections?: [Section] }
      }
      const all = type === "list" ? action.sections?.[0].rows : action.buttons?.map(({ reply }) => reply)
      const chosen = all?.find(({ description, title }) => title === label || description === label)
      if (chosen === undefined) throw new Error(`The message has no choice ${label}`)
      const kind = type === "list" ? "list_reply" : "button_reply"
      const reply = { id: chosen["id"], title: chosen["title"] }
      return say({ type: "interactive", interactive: { type: kind, [kind]: reply } })
    },
    /** A message of the number was read. */
    status: (id: string): Values => bodyOf({ statuses: [{ id, status: "read", timestamp: "1", recipient_id: ann }] }),
    /** No person has written for 24 hours. */
    forget: () => reachable.clear(),
    /** The next call is refused. */
    refuse: (status: number, code: number, details: string) => void refusals.push(failed(status, code, details))
  }
})
