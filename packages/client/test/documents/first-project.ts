// docs/start/first-project.md: src/buy.ts of the project.
// #region
import { approve, Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777", token: process.env["TOKEN"] })

const order = svc.workflow("order")
const paused = await order.run("tea")
console.log(paused.status, paused.step_requirements?.[0]?.confirmation_message)

const done = await order.continue(paused, approve(paused))
console.log(done.status, done.content)

for await (const event of svc.agent("clerk").stream("What is the price of tea?")) {
  if (event.event === "RunContent") process.stdout.write(event.text)
}
// #endregion
