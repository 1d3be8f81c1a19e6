// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const run = await svc.agent("assistant").run("What is 17 times 23?")
console.log(run.status, run.text)

for await (const text of svc.agent("assistant").text("And 18 times 24?")) process.stdout.write(text)
// #endregion

// #region
const stream = svc.agent("assistant").stream({ message: "And halved?", session_id: "first" })
for await (const event of stream) {
  if (event.event === "RunContent") process.stdout.write(event.text)
  if (event.event === "ToolCallStarted") console.log(event.tool.tool_name)
}
const { metrics } = await stream.result()
// #endregion

// #region
import { answer, approve } from "@svc-runtime/client"

const paused = await svc.agent("clerk").run("Refund order 17")
if (paused.status === "PAUSED") await svc.agent("clerk").continue(paused, approve(paused))

const order = await svc.agent("shop").run("Order tea")
if (order.status === "PAUSED") await svc.agent("shop").continue(order, answer(order, { address: "Main Street 1" }))
// #endregion

// #region
await svc.agent("assistant").send(run, "paid", { cents: 1200 })
// #endregion

// #region
const { data, meta } = await svc.sessions.list({ limit: 10 })
for await (const session of svc.all(svc.sessions.list, { user_id: "ann" })) console.log(session.session_name)
await svc.knowledge.add({ file: { path: "handbook.pdf" }, name: "Handbook" })
// #endregion

// #region
import { SvcConnectionError, SvcError } from "@svc-runtime/client"

try {
  await svc.agent("unknown").run("Hello")
} catch (error) {
  if (error instanceof SvcError) console.log(error.status, error.code, error.detail, error.requestId)
  if (error instanceof SvcConnectionError) console.log(error.message)
}
// #endregion

export { data, meta, metrics }
