// The block of docs/guides/webhooks.md with a test, which `node --test` runs, see nodeTest.whole.test.ts.
// #region
import { Agent } from "@svc-runtime/server"
import { scriptedModel, testService } from "@svc-runtime/testing"
import assert from "node:assert/strict"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import { test } from "node:test"

test("the receiver is called when a run has completed", async (t) => {
  const calls: Array<unknown> = []
  const receiver = createServer(async (request, response) => {
    calls.push(await json(request))
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  t.after(() => receiver.close())
  await once(receiver, "listening")
  const { port } = receiver.address() as AddressInfo
  const assistant = Agent.make({ id: "assistant", model: scriptedModel(["Hello!"]) })
  await using service = await testService({ agents: [assistant] })
  await service.client.webhooks.create({ url: `http://127.0.0.1:${port}`, events: ["run.completed"] })
  const run = await service.agent("assistant").run("Hi")
  await service.until(() => calls.length > 0)
  assert.partialDeepStrictEqual(calls, [{ type: "run.completed", data: { run_id: run.output.run_id } }])
})
// #endregion
