// Teams whose members pay with a tool that waits for a person, and the requests about their runs.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { call } from "../authorization/Closed.ts"
import { list } from "../Wire.ts"

const Payment = Schema.Struct({ amount: Schema.Int, to: Schema.String })
export type PayOptions = Partial<Tool.Options<typeof Payment>>
export const payment = { amount: 5, to: "ann" }
export const delegate = (member_id: string, id: string) =>
  toolCall("delegate_task_to_member", { member_id, task: "pay" }, id)

export const paying = (options: PayOptions) => {
  const paid: Array<unknown> = []
  const execute = (input: unknown) => (paid.push(input), "paid")
  return { paid, pay: Tool.make({ name: "pay", parameters: Payment, approval: "required", ...options, execute }) }
}

export const payer = Effect.fnUntraced(function*(id: string, pay: Tool.Tool) {
  const { model } = yield* Script.make([[toolCall("pay", payment, `pay_${id}`)], [text("I paid.")]])
  return Agent.make({ id, model, tools: [pay] })
})

export const leading = Effect.fnUntraced(function*(
  id: string,
  members: ReadonlyArray<Team.Member>,
  turn: Script.Turn,
  tools: ReadonlyArray<Tool.Tool> = []
) {
  const { model } = yield* Script.make([turn, [text("All paid.")]])
  return Team.make({ id, model, members, tools })
})

type Fields = Readonly<Record<string, string>>

export const post = (server: TestServer.TestServer, path: string, fields: Fields, bearer?: string) =>
  call(server, {
    path: `/teams/desk/runs${path}`,
    init: { method: "POST", body: new URLSearchParams({ session_id: "s", stream: "false", ...fields }) }
  }, bearer)

export const continueRun = (server: TestServer.TestServer, decisions: unknown, bearer?: string) =>
  post(server, "/r/continue", decisions === undefined ? {} : { requirements: JSON.stringify(decisions) }, bearer)

export const resolve = (server: TestServer.TestServer, id: string, body: object, bearer: string) =>
  call(server, {
    path: `/approvals/${encodeURIComponent(id)}/resolve`,
    init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  }, bearer)

export const approvalsOf = (server: TestServer.TestServer, bearer?: string) =>
  Effect.map(call(server, { path: "/approvals" }, bearer), ({ json }) => list(json, "data"))
