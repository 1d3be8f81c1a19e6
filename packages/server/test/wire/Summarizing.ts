// A service with an agent that summarizes its sessions.
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect } from "effect"
import { at, get } from "../Wire.ts"
import { open as openService } from "./MemoryFixtures.ts"

export const summary = (text: string, ...topics: ReadonlyArray<string>) => [
  Script.text(JSON.stringify({ summary: text, topics }))
]

export const answer = [Script.text("Noted.")]

export const open = Effect.fnUntraced(function*(...options: Parameters<typeof openService>) {
  const service = yield* openService(...options)
  return {
    ...service,
    jobs: service.summaryJobs,
    summaryOf: (id: string) =>
      Effect.map(
        get(service.server, `/sessions/${id}?type=agent`),
        ({ json }) => at(json, "session_summary", "summary")
      )
  }
})

export const fields = { message: "I like tea.", session_id: "s", user_id: "ann" }

export const summarizing = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  summaries: ReadonlyArray<Script.Turn>,
  options: Exclude<Agent.Options["sessionSummaries"], boolean | undefined> = {},
  rest: Partial<Agent.Options> = {}
) {
  const [talking, writing] = [yield* Script.make(turns), yield* Script.make(summaries)]
  const agent = Agent.make({
    id: "agent",
    model: talking.model,
    sessionSummaries: { model: writing.model, afterRuns: 1, ...options },
    ...rest
  })
  return { ...(yield* open({ agents: [agent] })), talking, writing }
})

export const textOf = ({ prompt }: Script.Call, role: "system" | "user") =>
  prompt.content.flatMap((message) => {
    if (message.role === "system") return role === "system" ? [message.content] : []
    if (message.role !== "user" || role !== "user") return []
    return message.content.flatMap((part) => part.type === "text" ? [part.text] : [])
  }).join("\n")

export const held = Effect.gen(function*() {
  const [requested, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const wait = Script.wait(Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(released)))
  return { wait, requested: Deferred.await(requested), release: Deferred.succeed(released, undefined) }
})
