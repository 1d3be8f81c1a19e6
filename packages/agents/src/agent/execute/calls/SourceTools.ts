// Adds the tools of the agent's tool sources to a run. A source that cannot be used does not end the run.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { Offer, ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect, type Scope } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { AgentCommand } from "../AgentCommand.ts"
import * as AgentJournal from "../AgentJournal.ts"
import * as ToolSearch from "../search/ToolSearch.ts"

export interface Failure {
  readonly tool_source: string
  readonly reason: string
}

export interface Opened {
  readonly command: AgentCommand
  readonly failures: ReadonlyArray<Failure>
}

/** Names of the tools whose calls have begun, are decided or have a result. */
const calledIn = (entries: ReadonlyArray<AgentJournal.Entry>): ReadonlySet<string> => {
  const names = new Set<string>()
  let calls: AgentJournal.ModelTurn["calls"] = []
  const add = (index: number) => {
    const call = calls[index]
    if (call !== undefined) names.add(call.name)
  }
  for (const entry of entries) {
    if (entry.kind === "asked") {
      calls = entry.calls
      entry.begun.forEach(add)
    } else if (entry.kind === "answered") add(entry.call)
    else if (entry.kind === "resolved") {
      entry.begun?.forEach(add)
      for (const { call } of entry.decisions) add(call)
    }
  }
  return names
}

/** Keeps the earlier calls of a run in it. Nothing is known of the effects of the tool, so it is not called again. */
const missing = (name: string): Tool.Tool =>
  Tool.make({
    name,
    description: "Not available now",
    execute: () =>
      Effect.fail(new Tool.ToolFailed({ message: `The tool '${name}' is not available now`, cause: undefined }))
  })

/** With stand-ins for tools that the run has called and that are not offered. */
const withCalled = (
  tools: Agent["tools"],
  entries: ReadonlyArray<AgentJournal.Entry>,
  clientTools: AgentCommand["client_tools"] = []
): Agent["tools"] => {
  const names = [...calledIn(entries)].filter((name) =>
    !tools.has(name) && !clientTools.some((tool) => tool.name === name)
  )
  return names.length === 0 ? tools : new Map([...tools, ...names.map((name) => [name, missing(name)] as const)])
}

/** The agent for a replay alone, which asks no source. */
export const replayed = (agent: Agent, entries: ReadonlyArray<AgentJournal.Entry>): Agent =>
  agent.toolSources.length === 0 ? withoutSources(agent) : { ...agent, tools: withCalled(agent.tools, entries) }

/** The agent of a run if it has no source. */
export const withoutSources = (agent: Agent): Agent => ToolSearch.deferring(agent, new Map())

/** Sources may list their tools in any order. For a cache, it is the same in each run. */
const inOrder = ({ promptCache }: Asking, tools: Offer["tools"]): Offer["tools"] =>
  promptCache === undefined ? tools : tools.toSorted((left, right) => left.name < right.name ? -1 : 1)

/** An agent whose sources are asked. */
export type Asking = Pick<Agent, "promptCache" | "tools" | "toolSources">

const merge = (agent: Asking, offers: ReadonlyArray<readonly [ToolSource, Offer]>) => {
  const tools = new Map(agent.tools)
  const sources = new Map<string, string>()
  const failures: Array<Failure> = []
  for (const [{ name: tool_source }, { problem, tools: offered }] of offers) {
    const taken = offered.filter(({ name }) => tools.has(name)).map(({ name }) => name)
    for (const tool of inOrder(agent, offered)) {
      if (tools.has(tool.name)) continue
      tools.set(tool.name, tool)
      sources.set(tool.name, tool_source)
    }
    if (problem !== undefined) failures.push({ tool_source, reason: problem })
    if (taken.length > 0) {
      failures.push({ tool_source, reason: `The agent has other tools with these names: ${taken.join(", ")}` })
    }
  }
  return { tools, sources, failures }
}

/** The tools of the agent and of its sources, which are asked now. They can be called until the scope closes. */
export const ask = Effect.fnUntraced(function*(agent: Asking) {
  const exit = yield* UserCode.exitOf(Effect.interruptible(Effect.forEach(
    agent.toolSources,
    (source) => Effect.map(source.open, (offer) => [source, offer] as const),
    { concurrency: "unbounded" }
  )))
  // an interrupted run ends in its own way
  return merge(agent, exit._tag === "Success" ? exit.value : [])
})

export const open = Effect.fnUntraced(function*(
  command: AgentCommand,
  entries: Parameters<typeof AgentJournal.decode>[0]
): Effect.fn.Return<Opened, never, Scope.Scope> {
  const { agent } = command
  const { failures, sources, tools } = yield* ask(agent)
  const decoded = yield* Effect.orDie(AgentJournal.decode(entries))
  const deferring = ToolSearch.deferring({ ...agent, tools }, sources)
  const called = withCalled(deferring.tools, decoded, command.client_tools)
  return { command: { ...command, agent: { ...deferring, tools: called } }, failures }
})
