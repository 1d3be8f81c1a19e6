// A closed service with an agent that sends mail when its approval is resolved, the callers, and their decisions.
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at } from "../Wire.ts"
import { asking, type mail, mailer } from "./Mailing.ts"

/** A run of ann's waits for its approval. */
export const served = Effect.fnUntraced(function*(
  options: Partial<Tool.Options<typeof mail>> = {},
  turns = asking,
  service: TestServer.Options = {}
) {
  const { agent, sent } = yield* mailer(turns, { approval: "required", ...options })
  const server = yield* serveClosed({ agents: [agent], ...service })
  const ann = yield* token("ann", "agents:run", "agents:read", "approvals:read")
  const boss = yield* token(
    "boss",
    "agents:run",
    "agents:read",
    "platform:admin",
    "approvals:write",
    "approvals:read"
  )
  const body = new URLSearchParams({ message: "mail", session_id: "s", run_id: "r", stream: "false" })
  const paused = yield* call(server, { path: "/agents/approver/runs", init: { method: "POST", body } }, ann)
  const id = String(at(paused.json, "tools", 0, "approval_id"))
  return { ann, boss, id, paused, sent, server }
})

export const resolve = (server: TestServer.TestServer, id: string, body: object, bearer: string) =>
  call(server, {
    path: `/approvals/${encodeURIComponent(id)}/resolve`,
    init: { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  }, bearer)
