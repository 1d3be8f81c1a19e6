import { assert, describe, it } from "@effect/vitest"
import { say } from "@svc-runtime/examples/recipes/agui"
import { send } from "@svc-runtime/examples/recipes/chat"
import * as hono from "@svc-runtime/examples/recipes/hono"
import { application } from "@svc-runtime/examples/recipes/limits"
import { ask } from "@svc-runtime/examples/recipes/openai"
import { slackRoute } from "@svc-runtime/examples/recipes/slack"
import * as Tier from "@svc-runtime/test-support/Tier"
import { scriptedModel, testService, text } from "@svc-runtime/testing"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import * as Program from "./Program.ts"

Tier.oneIn(3)

/** A service on a port, whose assistant says this in two parts. */
const speaking = (...parts: ReadonlyArray<string>) =>
  testService({ ...application, limits: {}, model: scriptedModel([[text(...parts)], "Again."]), listen: true })

describe("recipes about pages and servers", () => {
  it("the route of Next.js streams the text", async () => {
    await using service = await speaking("Hel", "lo.")
    const before = process.env["SVC_URL"]
    process.env["SVC_URL"] = service.url
    const { POST } = await import("@svc-runtime/examples/recipes/next-route")
    if (before === undefined) delete process.env["SVC_URL"]
    const body = JSON.stringify({ message: "Hi", session: "s" })
    const response = await POST(new Request("http://page/api/ask", { method: "POST", body }))
    assert.strictEqual(await response.text(), "Hello.")
  })

  it("Express streams the text to its user, and refuses a request without one", async () => {
    await using service = await speaking("Hel", "lo.")
    const { applicationFor } = await import(join(Program.recipes, "express.js"))
    const server: Server = applicationFor(service.url).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    const responseTo = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/ask`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ message: "Hi" })
      })
    assert.strictEqual(await (await responseTo({ "x-user": "ann" })).text(), "Hello.")
    assert.strictEqual((await responseTo({})).status, 401)
    assert.strictEqual((await service.client.sessions.get("web-ann")).user_id, "ann")
    server.close()
  })

  it("Hono streams the parts of the text as events", async () => {
    await using service = await speaking("Hel", "lo.")
    const response = await hono.applicationFor(service.url).request("/ask/first?message=Hi")
    assert.strictEqual(
      await response.text(),
      "event: text\ndata: Hel\n\nevent: text\ndata: lo.\n\nevent: end\ndata: \n\n"
    )
  })

  it("a message of Slack is answered in its thread once, and a forged one is refused", async () => {
    await using service = await speaking("Hello.")
    const posted: Array<unknown> = []
    const secret = "secret"
    const route = slackRoute({ svc: service.client, secret, post: async (message) => posted.push(message) })
    const body = JSON.stringify({ event_id: "Ev1", event: { channel: "C1", user: "U1", text: "Hi", ts: "17.1" } })
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`
    const sent = (signature: string) =>
      route(
        new Request("http://chat/slack", {
          method: "POST",
          headers: { "x-slack-request-timestamp": timestamp, "x-slack-signature": signature },
          body
        })
      )
    assert.strictEqual((await sent(signature)).status, 200)
    assert.strictEqual((await sent(signature)).status, 200)
    assert.strictEqual((await sent("v0=00")).status, 401)
    await service.until(() => posted.length === 2)
    // Slack has sent it twice: both get the answer of one run
    const { meta } = await service.client.runs.list({ session_id: "slack-C1-17.1" })
    assert.strictEqual(meta.total_count, 1)
    assert.deepStrictEqual(posted[0], { channel: "C1", thread_ts: "17.1", text: "Hello." })
  })

  it("the SDK of OpenAI, the chat of the AI SDK and the client of AG-UI get the answer of the agent", async () => {
    const model = scriptedModel(["One.", [text("T", "wo.")], [text("Th", "ree.")]])
    await using service = await testService({ ...application, limits: {}, model, listen: true })
    assert.strictEqual(await ask(service.url, "Hi"), "One.")
    assert.strictEqual(await send(service.url, crypto.randomUUID(), "Hi"), "Two.")
    assert.strictEqual(await say(service.url, "Hi"), "Three.")
  })

  it("the program of Python runs the agent, and streams its text", async () => {
    await using service = await speaking("Hel", "lo.")
    const { code, stderr, stdout } = await Program.python("python.py", { SVC_URL: service.url })
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(stdout, "COMPLETED Hello.\nAgain.")
  })
})
