// # Answer messages of Slack
// Pages and servers
//
// Slack signs what it sends, wants a response within three seconds, and sends again what it believes is lost. So the
// route checks the signature, responds at once, and the id of the event makes the run only once.
//
// Try:
//   svc run assistant "Hello"
//
// Change: other chats differ in the signature and in the names of fields only. A thread is a session here.
import type { Svc } from "@svc-runtime/client"
import { createHmac, timingSafeEqual } from "node:crypto"

interface Options {
  readonly svc: Svc
  readonly secret: string
  /** Sends a message to the chat: a `POST` to https://slack.com/api/chat.postMessage with the token of the bot. */
  readonly post: (message: { channel: string; thread_ts: string; text: string }) => Promise<unknown>
}

const isGenuine = (secret: string, headers: Headers, body: string) => {
  const timestamp = headers.get("x-slack-request-timestamp") ?? ""
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < 300)) return false
  const expected = Buffer.from(`v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`)
  const given = Buffer.from(headers.get("x-slack-signature") ?? "")
  return given.length === expected.length && timingSafeEqual(given, expected)
}

export const slackRoute = ({ post, secret, svc }: Options) => async (request: Request): Promise<Response> => {
  const body = await request.text()
  if (!isGenuine(secret, request.headers, body)) return new Response(null, { status: 401 })
  const { challenge, event, event_id } = JSON.parse(body)
  if (challenge !== undefined) return new Response(challenge)
  if (event.bot_id === undefined) {
    const { channel, text, ts, thread_ts = ts } = event
    const input = { message: text, session_id: `slack-${channel}-${thread_ts}`, user_id: `slack-${event.user}` }
    void svc.agent("assistant").run(input, { idempotencyKey: event_id })
      .then((run) => post({ channel, thread_ts, text: run.text }))
      .catch((problem) => post({ channel, thread_ts, text: `That did not work: ${problem.message}` }))
  }
  return new Response(null, { status: 200 })
}
