// Finds requests for the cache of a provider whose tools or system message differ from those of the request before, so
// that the provider reads them again. It compares short numbers that this process keeps of each session.
import type { Model } from "@svc-runtime/models/Model"
import type { PromptCache } from "@svc-runtime/models/PromptCache"
import { Effect } from "effect"
import { type Prompt, Tool as AiTool } from "effect/ai"
import type { Agent } from "../../define/Agent.ts"
import * as StablePrefix from "../context/StablePrefix.ts"
import type { AnyToolkit } from "./ModelStep.ts"

export interface Watched {
  readonly cache?: PromptCache | undefined
  readonly model: Model
  readonly toolkit: AnyToolkit | undefined
  readonly prompt: Prompt.Prompt
}

interface Beginning {
  /** How many tools there are, and the number of all of them. */
  readonly tools: { readonly count: number; readonly number: number }
  readonly system: number
}

/** Sessions, and agents whose change was logged. The oldest are forgotten. */
const most = 10_000

const last = new Map<string, Beginning>()
const logged = new Set<string>()

const room = (entries: Map<string, unknown> | Set<string>): void => {
  if (entries.size < most) return
  const [oldest] = entries.keys()
  if (oldest !== undefined) entries.delete(oldest)
}

/** The number of the first tools, for each count of them. */
const toolkits = new WeakMap<AnyToolkit, ReadonlyArray<number>>()

const described = (tool: AiTool.Any): unknown =>
  AiTool.isProviderDefined(tool)
    ? [tool.name, tool.args]
    : [tool.name, AiTool.getDescription(tool), AiTool.getJsonSchema(tool)]

const numbersOf = (toolkit: AnyToolkit | undefined): ReadonlyArray<number> => {
  if (toolkit === undefined) return [0]
  const known = toolkits.get(toolkit)
  if (known !== undefined) return known
  const numbers = [0]
  for (const tool of Object.values(toolkit.tools)) {
    numbers.push(StablePrefix.numberOf(JSON.stringify([numbers.at(-1), described(tool)])))
  }
  toolkits.set(toolkit, numbers)
  return numbers
}

const beginningOf = ({ prompt, toolkit }: Watched): Beginning => ({
  tools: { count: numbersOf(toolkit).length - 1, number: numbersOf(toolkit).at(-1) ?? 0 },
  system: StablePrefix.numberOf(
    prompt.content.flatMap((message) => message.role === "system" ? [message.content] : []).join("\n")
  )
})

export type Changed = "system message" | "tools"

/** What has changed since the request before of the session to this model. A search adds tools behind the others. */
export const changed = (watched: Watched): ReadonlyArray<Changed> => {
  if (watched.cache === undefined) return []
  const key = `${watched.cache.key} ${watched.model.id}`
  const [before, now] = [last.get(key), beginningOf(watched)]
  last.delete(key)
  room(last)
  last.set(key, now)
  if (before === undefined) return []
  return [
    ...(numbersOf(watched.toolkit)[before.tools.count] === before.tools.number ? [] : ["tools" as const]),
    ...(before.system === now.system ? [] : ["system message" as const])
  ]
}

const advice: Readonly<Record<Changed, string>> = {
  "system message": "What changes belongs into knowledge, memories, the session state or the message",
  tools: "A tool source may offer others each time, or the client sends others"
}

/** Once for each agent. */
export const warned = ({ id }: Agent, parts: ReadonlyArray<Changed>): Effect.Effect<void> =>
  Effect.forEach(parts, (part) => {
    const key = `${id} ${part}`
    if (logged.has(key)) return Effect.void
    room(logged)
    logged.add(key)
    return Effect.annotateLogs(
      Effect.logWarning(
        `The ${part} of an agent with promptCache changes between the requests of a session, so that its provider ` +
          `does not find what it has cached. ${advice[part]}`
      ),
      { agent_id: id }
    )
  }, { discard: true })
