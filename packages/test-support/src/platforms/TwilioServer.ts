// A server that speaks the part of Twilio's API that SMS needs, for one account with one number, and that signs what it
// sends: https://www.twilio.com/docs/messaging
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { type Answer, listen, type Request } from "./PlatformListener.ts"

export type Fields = Readonly<Record<string, string>>

export interface Message {
  readonly sid: string
  readonly to: string
  readonly from: string
  readonly body: string
}

export type TwilioServer = Effect.Success<ReturnType<typeof make>>

const failed = (status: number, code: number, message: string): Answer => ({
  status,
  body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
})

const sidOf = (prefix: string, number: number): string => `${prefix}${number.toString(16).padStart(32, "0")}`

/** A server for as long as the scope lasts. */
export const make = Effect.fnUntraced(function*() {
  const accountSid = sidOf("AC", 1)
  const authToken = "0123456789abcdef0123456789abcdef"
  const number = "+15550000000"
  const ann = "+15550001111"
  const service = sidOf("MG", 2)
  /** Where the channel is, as it is signed. */
  const address = "https://svc.example/channels/twilio/events"
  const messages: Array<Message> = []
  const stopped = new Set<string>()
  const files = new Map<string, Uint8Array>()
  const redirects = new Map<string, string>()
  const refusals: Array<Answer> = []
  /** Paths with their authorization. */
  const calls: Array<{ readonly path: string; readonly authorization: string | undefined }> = []
  let status = "active"
  let next = 16

  const sent = ({ body }: Request): Answer => {
    const fields: Fields = Object.fromEntries(new URLSearchParams(body.toString()))
    const { Body: text = "", From, MessagingServiceSid, To: to = "" } = fields
    if (!/^\+\d{5,15}$/.test(to)) return failed(400, 21_211, `The 'To' number ${to} is not a valid phone number.`)
    if (From === undefined && MessagingServiceSid === undefined) {
      return failed(400, 21_603, "A 'From' phone number is required.")
    }
    if (From !== undefined && From !== number) {
      return failed(
        400,
        21_606,
        `The 'From' number ${From} is not a valid, SMS-capable Twilio number for your account.`
      )
    }
    if (From === undefined && MessagingServiceSid !== service) return failed(404, 20_404, "The service was not found")
    if (text.trim() === "") return failed(400, 21_602, "Message body is required.")
    if (text.length > 1600) {
      return failed(400, 21_617, "The concatenated message body exceeds the 1600 character limit.")
    }
    if (stopped.has(to)) return failed(400, 21_610, "Attempt to send to unsubscribed recipient")
    const message = { sid: sidOf("SM", next++), to, from: From ?? number, body: text }
    messages.push(message)
    return { status: 201, body: { ...message, account_sid: accountSid, status: "queued", error_code: null } }
  }

  const answer = (request: Request): Answer => {
    const { headers, path } = request
    calls.push({ path, authorization: headers["authorization"] })
    // what was redirected to needs no password
    const bytes = path.startsWith("/cdn/") ? files.get(path.slice(5)) : undefined
    if (bytes !== undefined) return { body: bytes }
    const expected = Buffer.from(`${accountSid}:${authToken}`).toString("base64")
    if (headers["authorization"] !== `Basic ${expected}`) return failed(401, 20_003, "Authenticate")
    const refusal = refusals.shift()
    if (refusal !== undefined) return refusal
    const account = `/2010-04-01/Accounts/${accountSid}`
    if (path === `${account}.json`) return { body: { sid: accountSid, friendly_name: "Acme", status } }
    if (path === `${account}/Messages.json` && request.method === "POST") return sent(request)
    const media = path.startsWith(`${account}/Media/`) ? path.slice(`${account}/Media/`.length) : ""
    if (!files.has(media)) return failed(404, 20_404, "The requested resource was not found")
    return { status: 307, headers: { location: redirects.get(media) ?? `${url}/cdn/${media}` } }
  }

  const { url } = yield* listen(answer)

  const signatureOf = (address: string, fields: Fields): string => {
    const text = Object.keys(fields).toSorted().reduce((text, name) => `${text}${name}${fields[name]}`, address)
    return createHmac("sha1", authToken).update(text).digest("base64")
  }

  /** Bytes with their signature. */
  const signed = (body: string, at = address) => ({
    body,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signatureOf(at, Object.fromEntries(new URLSearchParams(body)))
    } as Record<string, string>
  })

  return {
    url,
    address,
    accountSid,
    authToken,
    number,
    service,
    ann,
    messages: messages as ReadonlyArray<Message>,
    calls: calls as ReadonlyArray<{ readonly path: string; readonly authorization: string | undefined }>,
    files,
    redirects,
    signed,
    /** A person writes. */
    say: (text: string, fields: Fields = {}): Fields => ({
      AccountSid: accountSid,
      ApiVersion: "2010-04-01",
      Body: text,
      From: ann,
      MessageSid: sidOf("SM", next++),
      NumMedia: "0",
      NumSegments: "1",
      To: number,
      ...fields
    }),
    requestOf: (fields: Fields, at?: string) => signed(new URLSearchParams(fields).toString(), at),
    /** Where a file that a person has sent is. */
    media: (name: string, bytes: Uint8Array): string => {
      files.set(name, bytes)
      return `${url}/2010-04-01/Accounts/${accountSid}/Media/${name}`
    },
    /** A person has written STOP. */
    stop: (to: string) => void stopped.add(to),
    suspend: () => {
      status = "suspended"
    },
    /** The next call is refused. */
    refuse: (status: number, code: number, message: string) => void refusals.push(failed(status, code, message))
  }
})
