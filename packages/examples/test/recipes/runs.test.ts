import { assert, describe, it } from "@effect/vitest"
import * as cached from "@svc-runtime/examples/recipes/cached"
import { exportSession } from "@svc-runtime/examples/recipes/export"
import { confirmOrder } from "@svc-runtime/examples/recipes/idempotent"
import { application } from "@svc-runtime/examples/recipes/limits"
import * as memory from "@svc-runtime/examples/recipes/memory"
import { receiverOf } from "@svc-runtime/examples/recipes/receiver"
import { resume, startAndCancel } from "@svc-runtime/examples/recipes/resume"
import * as summaries from "@svc-runtime/examples/recipes/summaries"
import * as Tier from "@svc-runtime/test-support/Tier"
import { delay, failStatus, object, scriptedModel, testService } from "@svc-runtime/testing"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

Tier.oneIn(3)

describe("recipes about runs, sessions and memory", () => {
  it("a request that is sent twice makes one run", async () => {
    const model = scriptedModel(["Thank you."])
    await using service = await testService({ ...application, model })
    const runs = [await confirmOrder(service.client, "17"), await confirmOrder(service.client, "17")]
    assert.strictEqual(runs[0]?.run_id, runs[1]?.run_id)
    assert.strictEqual(model.remaining, 0)
  })

  it("a run that is cancelled ends, and one that has failed continues", async () => {
    const model = scriptedModel([delay("1 hour"), failStatus(500), "It works."])
    await using service = await testService({ ...application, limits: {}, model })
    assert.strictEqual((await startAndCancel(service.client)).status, "CANCELLED")
    const failed = await service.until(service.agent("assistant").run("Hello"))
    assert.strictEqual(failed.status, "ERROR")
    const resumed = await service.until(resume(service.client, failed.output))
    assert.deepStrictEqual([resumed.status, resumed.text], ["COMPLETED", "It works."])
  })

  it("the receiver handles a delivery of the service once, and refuses one with a wrong signature", async () => {
    const events: Array<unknown> = []
    let receive: (request: Request) => Promise<Response> = async () => new Response(null, { status: 500 })
    const requests: Array<Request> = []
    const server = createServer(async (incoming, outgoing) => {
      const headers = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))
      const request = new Request("http://receiver", { method: "POST", headers, body: await text(incoming) })
      requests.push(request.clone())
      outgoing.writeHead((await receive(request)).status).end()
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo
    await using service = await testService({ ...application, model: scriptedModel(["Hello."]) })
    const { secret } = await service.client.webhooks.create({
      url: `http://127.0.0.1:${port}`,
      events: ["run.completed"]
    })
    receive = receiverOf(secret, (event) => events.push(event), () => service.now().getTime())
    await service.agent("assistant").run("Hello")
    await service.until(() => requests.length > 0)
    const again = requests[0]!.clone()
    const forged = new Request(requests[0]!, {
      headers: { ...Object.fromEntries(requests[0]!.headers), "webhook-id": "x" }
    })
    assert.strictEqual((await receive(again)).status, 204)
    assert.strictEqual((await receive(forged)).status, 401)
    assert.lengthOf(events, 1)
    server.close()
  })

  it("an export has the session, and the messages of each of its runs", async () => {
    await using service = await testService({ ...application, model: scriptedModel(["One.", "Two."]) })
    for (const message of ["First", "Second"]) await service.agent("assistant").run({ message, session_id: "s" })
    const { runs, session } = await exportSession(service.client, "s")
    assert.strictEqual(session.session_id, "s")
    assert.deepStrictEqual(runs.map(({ content }) => content), ["One.", "Two."])
    assert.include(JSON.stringify(runs), "Second")
  })

  it("what a user writes is kept as a memory", async () => {
    const changes = [{ action: "create", id: "", memory: "Likes trains.", topics: ["travel"], reason: "" }]
    const model = scriptedModel(["Nice.", object({ changes })])
    await using service = await testService({ ...memory.application, model })
    await service.agent("friend").run({ message: "I like trains.", user_id: "ann" })
    await service.until(() => model.remaining === 0)
    await service.until(async () => (await memory.memoriesOf(service.client, "ann")).length > 0)
    assert.deepStrictEqual(await memory.memoriesOf(service.client, "ann"), ["Likes trains."])
  })

  it("a conversation begins with the same messages in each run, and has the time behind them", async () => {
    const model = scriptedModel(["One.", "Two."])
    await using service = await testService({ ...cached.application, model })
    for (const message of ["Tea", "More tea"]) await service.agent("helpdesk").run({ message, session_id: "s" })
    const [first, second] = model.requests.map(({ prompt }) => JSON.stringify(prompt))
    assert.match(first ?? "", /current_context.*The time is.*Tea/)
    assert.match(second ?? "", /Tea.*One\..*current_context.*The time is.*More tea/)
  })

  it("a session has a summary after two runs", async () => {
    const summary = object({ summary: "Talks about tea.", topics: ["tea"] })
    const model = scriptedModel(["One.", "Two.", summary])
    await using service = await testService({ ...summaries.application, model })
    for (const message of ["Tea", "More tea"]) await service.agent("companion").run({ message, session_id: "s" })
    await service.until(() => model.remaining === 0)
    await service.until(async () => JSON.stringify(await service.client.sessions.get("s")).includes("Talks about tea."))
  })
})
