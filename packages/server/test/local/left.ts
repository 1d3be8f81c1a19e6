// A program on a stored database that leaves a paused run and an interrupted one. Started again without HOLD, it runs
// another agent only.
import { Agent, Local, Tool } from "@svc-runtime/server"
import * as ScriptedModel from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"

const say = (line: string) => process.stderr.write(`${line}\n`)
const hold = process.env["HOLD"] === "yes"

const isAnswered = ({ prompt }: ScriptedModel.Call) =>
  prompt.content.some(({ role }) => role === "tool") ? [ScriptedModel.text("By the program.")] : undefined

const modelOf = (tool: string) => {
  const answer = (call: ScriptedModel.Call) => isAnswered(call) ?? [ScriptedModel.toolCall(tool)]
  return Effect.runSync(ScriptedModel.make(Array.from({ length: 9 }, () => answer))).model
}

const look = Tool.make({
  name: "look",
  effects: "read",
  execute: () => {
    say("looks")
    return hold ? new Promise<string>(() => {}) : "seen"
  }
})
const refund = Tool.make({ name: "refund", approval: "required", execute: () => "Refunded." })

const reader = Agent.make({ id: "reader", model: modelOf("look"), tools: [look] })
const clerk = Agent.make({ id: "clerk", model: modelOf("refund"), tools: [refund] })
const other = Agent.make({ id: "other", model: "fixed" })

if (hold) {
  const paused = await clerk.run({ message: "Refund it", run_id: "clerk-run", session_id: "clerk-session" })
  say(`clerk ${paused.status}`)
  await reader.run({ message: "Look", run_id: "reader-run", session_id: "reader-session" })
}
await other.run("Hello")
const svc = await Local.client()
for (const id of ["reader", "clerk"]) {
  const { run_id } = await svc.agent(id).get({ run_id: `${id}-run`, session_id: `${id}-session` })
  say(`knows ${run_id}`)
}
setInterval(() => {}, 60_000)
