// An agent that sends mail when a person agrees, and the requests about its runs.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { call } from "../authorization/Closed.ts"
import { ask, runWhole } from "../Wire.ts"

export type Fields = Readonly<Record<string, string>>
export const mail = Schema.Struct({ to: Schema.String, text: Schema.String })
export const args = { to: "a@b.c", text: "hi" }

/** An agent whose tools write down what they were called with. */
export const mailer = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Tool.Options<typeof mail>> = { requiresConfirmation: true }
) {
  const sent: Array<unknown> = []
  const script = yield* Script.make(turns)
  const execute = (input: unknown) => {
    sent.push(input)
    return "sent"
  }
  const send_mail = Tool.make({ name: "send_mail", parameters: mail, execute, ...options })
  const look = Tool.make({ name: "look", effects: "read", execute: () => (sent.push("look"), "seen") })
  const agent = Agent.make({ id: "approver", name: "Approver", model: script.model, tools: [send_mail, look] })
  return { agent, script, sent }
})

export const asking = [[Script.toolCall("send_mail", args, "call_1")], [Script.text("Done.")]]
export const path = "/agents/approver/runs/r/continue"

export const continueRun = (server: TestServer.TestServer, fields: Fields, bearer?: string, to = path) =>
  call(
    server,
    { path: to, init: { method: "POST", body: new URLSearchParams({ stream: "false", ...fields }) } },
    bearer
  )

export const session = { session_id: "s" }

export const start = (server: TestServer.TestServer, fields: Fields = {}) =>
  runWhole(server, "approver", { message: "mail", session_id: "s", run_id: "r", ...fields })

export const tools = (...decided: ReadonlyArray<object>): Fields => ({ ...session, tools: JSON.stringify(decided) })
export const stored = (server: TestServer.TestServer) => ask(server, "/agents/approver/runs/r?session_id=s")
