// An agent with memory, whose models answer as the test says.
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { open } from "./MemoryFixtures.ts"

interface Change {
  readonly action: "create" | "update" | "remove"
  readonly id?: string
  readonly memory?: string
}

export const changes = (...list: ReadonlyArray<Change>) => [
  Script.text(JSON.stringify({
    changes: list.map((change) => ({ id: "", memory: "", topics: [], reason: "", ...change }))
  }))
]

export const answer = [Script.text("Noted.")]
export const fields = { message: "My name is Ann.", session_id: "s", user_id: "ann" }

export const withMemory = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  extractions: ReadonlyArray<Script.Turn>,
  memory: Exclude<Agent.Options["memory"], boolean | undefined> = {}
) {
  const [talking, reading] = [yield* Script.make(turns), yield* Script.make(extractions)]
  const agent = Agent.make({ id: "agent", model: talking.model, memory: { model: reading.model, ...memory } })
  return { ...(yield* open({ agents: [agent] })), talking, reading }
})
