// docs/guides/channels/own.md
// #region
import type { Adapter, Context, OutgoingMessage } from "@svc-runtime/server/channels"
import { ChannelError, Http, Markdown, Signatures } from "@svc-runtime/server/channels"
import { Redacted } from "effect"
import { z } from "zod"

const Id = z.string().min(1).max(100)
const Written = z.object({ id: Id, conversation: Id, person: Id, text: z.string(), pressed: z.string().optional() })

const shown = ({ prompt, status, text }: OutgoingMessage) => ({
  text,
  status,
  buttons: prompt?.choices.map(({ id, label }) => ({ label, value: `${prompt.id}:${id}` }))
})

export const webhookChat = ({ secret, url }: { readonly secret: string; readonly url: string }): Adapter => {
  const key = Redacted.make(secret)
  const api = { platform: "The chat", secrets: [key], problemOf: () => undefined }
  const signatureOf = (body: Uint8Array | string) => `sha256=${Signatures.hmac({ secret: key, parts: [body] })}`

  const send = async (method: "POST" | "PUT", path: string, message: object, context: Context) => {
    const body = JSON.stringify(message)
    const headers = { "content-type": "application/json", "x-signature": signatureOf(body) }
    await Http.request(api, { name: method, method, url: `${url}/${path}`, headers, body }, context)
  }

  return {
    platform: "chat",
    limits: { text: 4000, editEvery: 500, postEvery: 0, file: 0, hasButtons: true, hasForms: false },
    split: (markdown) => Markdown.split(markdown, 4000),
    receive: async (delivery) => {
      Signatures.requireHeader(delivery, "x-signature", signatureOf(delivery.body))
      const { data } = Written.safeParse(Http.objectIn(delivery))
      if (data === undefined) throw new ChannelError({ reason: "malformed", message: "The message cannot be read" })
      const { conversation, id, person, pressed, text } = data
      const arrived = { id, thread: conversation, place: { conversation }, sender: { id: person }, isDirect: true }
      const [, prompt, choice] = /^(\w{1,24}):(\w{1,20})$/.exec(pressed ?? "") ?? []
      return {
        acknowledgement: { status: 202 },
        events: [
          prompt && choice ? { type: "press", ...arrived, prompt, choice } : { type: "message", ...arrived, text }
        ]
      }
    },
    post: async ({ conversation }, message, context) => {
      await send("POST", "messages", { id: message.key, conversation, ...shown(message) }, context)
      return message.key
    },
    edit: (_, id, message, context) => send("PUT", `messages/${encodeURIComponent(id)}`, shown(message), context),
    test: async (context) => {
      await send("POST", "hello", {}, context)
      return `the chat at ${new URL(url).host}`
    }
  }
}
// #endregion
