// The channel of docs/guides/channels/own.md, against a chat that refuses what is not signed.
import { assert, it } from "@effect/vitest"
import { Agent, Tool } from "@svc-runtime/server"
import { Channel } from "@svc-runtime/server/channels"
import * as AdapterSuite from "@svc-runtime/test-support/suites/AdapterSuite"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { scriptedModel, toolCall } from "@svc-runtime/testing"
import { Effect } from "effect"
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { z } from "zod"
import { webhookChat } from "./documents/webhookChat.ts"

Tier.oneIn(3)

const secret = "the-secret-of-the-chat"

const signatureOf = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

interface Shown {
  readonly text: string
  readonly buttons?: ReadonlyArray<{ readonly label: string; readonly value: string }>
}

/** The chat: it shows what it is sent, if that is signed. */
const chat = Effect.map(
  Effect.acquireRelease(
    Effect.promise(() => {
      const shown = new Map<string, Shown>()
      const server = createServer((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          const body = Buffer.concat(parts).toString()
          if (request.headers["x-signature"] !== signatureOf(body)) return response.writeHead(401).end()
          const message = JSON.parse(body) as Shown & { readonly id?: string }
          const id = message.id ?? decodeURIComponent(request.url?.split("/").at(-1) ?? "")
          if (request.url !== "/hello") shown.set(id, message)
          response.writeHead(204).end()
        })
      })
      return new Promise<{ server: typeof server; shown: typeof shown }>((resolve) =>
        server.listen(0, "127.0.0.1", () => resolve({ server, shown }))
      )
    }),
    ({ server }) => Effect.sync(() => server.close().closeAllConnections())
  ),
  ({ server, shown }) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    let next = 1
    const written = (text: string, pressed?: string) =>
      JSON.stringify({ id: `m${next++}`, conversation: "room", person: "ann", text, ...(pressed && { pressed }) })
    return {
      url,
      shown: () => [...shown.values()],
      written,
      headers: (body: string) => ({ "content-type": "application/json", "x-signature": signatureOf(body) })
    }
  }
)

AdapterSuite.suite(
  "the plain webhook chat of the documents",
  Effect.map(chat, ({ headers, shown, url, written }) => ({
    adapter: webhookChat({ url, secret }),
    written: (text) => written(text),
    signed: (body) => ({
      method: "POST",
      url: "https://svc.example/channels/chat/events",
      headers: headers(body),
      body: new TextEncoder().encode(body),
      at: Date.now()
    }),
    shown: () => shown().map(({ text }) => text),
    buttons: () => shown().at(-1)?.buttons?.map(({ label }) => label) ?? [],
    pressed: ({ id }, choice) => written("", `${id}:${choice}`),
    secrets: [secret]
  }))
)

it.live("A person writes to an agent in the chat, presses a button, and reads the answer.", () =>
  Effect.gen(function*() {
    const { headers, shown, url, written } = yield* chat
    const send = Tool.make({
      name: "send_mail",
      description: "Sends a mail",
      parameters: z.object({ to: z.string() }),
      requiresConfirmation: true,
      execute: ({ to }) => `Sent to ${to}`
    })
    const model = scriptedModel([toolCall("send_mail", { to: "bob" }), "Bob has it."])
    const agent = Agent.make({ id: "desk", model, tools: [send] })
    const access = { type: "open", approvers: ["ann"] } as const
    const server = yield* TestServer.make({
      agents: [agent],
      declared: { channels: [Channel.make({ agent: "desk", access }, webhookChat({ url, secret }))] }
    })
    const arrive = (body: string, signed = headers(body)) =>
      server.fetch("/channels/chat/events", { method: "POST", headers: signed, body })
    const shows = (isShown: (message: Shown) => boolean): Effect.Effect<void> =>
      Effect.suspend(() =>
        shown().some(isShown) ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), shows(isShown))
      )
    assert.strictEqual((yield* arrive(written("Send it to Bob"))).status, 202)
    yield* shows(({ buttons }) => buttons !== undefined)
    const [button] = shown().flatMap(({ buttons = [] }) => buttons)
    yield* arrive(written("", button?.value))
    yield* shows(({ text }) => text.includes("Bob has it."))
    assert.strictEqual(shown().filter(({ text }) => text.includes("Bob has it.")).length, 1)
    assert.strictEqual((yield* arrive(written("Hello"), { ...headers(""), "x-signature": "sha256=00" })).status, 401)
  }))
