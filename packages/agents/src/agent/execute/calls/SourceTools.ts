// Adds the tools of the agent's tool sources to a run. A source that cannot be used does not end the run.
import type { ToolExecution } from "@svc-runtime/domain/ToolExecution"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import type { Offer, Offered, OfferedBy, ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect, type Scope } from "effect"
import type { Agent } from "../../define/Agent.ts"
import type { AgentCommand } from "../AgentCommand.ts"
import type * as AgentJournal from "../AgentJournal.ts"
import * as ToolSearch from "../search/ToolSearch.ts"

export interface Failure {
  readonly tool_source: string
  readonly reason: string
}

export interface Opened {
  readonly command: AgentCommand
  readonly failures: ReadonlyArray<Failure>
}

const isSame = (one: OfferedBy, other: OfferedBy): boolean =>
  typeof one === "object" && typeof other === "object" ? one.source === other.source : one === other

/** Who offers the tool that the run has by this name. */
export const offeredBy = ({ offered }: Agent, name: string): OfferedBy => offered?.by.get(name) ?? "agent"

type Call = Pick<AgentJournal.ModelTurn["calls"][number], "name"> & { readonly offered_by?: OfferedBy | undefined }

/** The fields of the execution of a call. */
export const sourceOf = ({ offered_by: by }: Call): Pick<ToolExecution, "client_tool" | "tool_source"> =>
  typeof by === "object" ? { tool_source: by.source } : by === "client" ? { client_tool: true } : {}

/** Why a source does not offer a tool. `offer`: of the source. Undefined: it is none of the agent. */
export const absence = (source: string, offer: Pick<Offer, "problem"> | undefined): string => {
  if (offer === undefined) return `there is no '${source}' any more`
  return offer.problem === undefined
    ? `'${source}' does not offer it any more`
    : `its server '${source}' is not reachable`
}

/** The tool of a call, never another one that has its name by now. */
export const offered = (agent: Agent, { name, offered_by: by }: Call): Tool.Tool | undefined => {
  if (by === undefined || isSame(by, offeredBy(agent, name))) return agent.tools.get(name)
  if (by === "client") return agent.offered?.client.get(name)
  return by === "agent"
    ? undefined
    : agent.offered?.sources.get(by.source)?.tools.find((tool) => tool.name === name)
}

/** Of the agent itself. */
export const gone = "the agent has no such tool any more"

/**
 * In place of a tool that is not offered, for a call that the run has made. Nothing is known of the effects of the
 * tool, so it is not called again.
 */
export const standIn = (agent: Agent, { name, offered_by: by }: Call): Tool.Tool => {
  const reason = typeof by === "object" ? absence(by.source, agent.offered?.sources.get(by.source)) : gone
  const message = `The tool '${name}' is not available now: ${reason}. Nothing was done`
  return Tool.make({
    name,
    description: "Not available now",
    execute: () => Effect.fail(new Tool.ToolFailed({ message, cause: undefined }))
  })
}

/** A stand-in for the tool of a call about which a person was asked. */
export const askedAs = (
  standIn: Tool.Tool,
  { approval_type, asked, external_execution_required, outcome_unknown }: ToolExecution
): Tool.Tool => ({
  ...standIn,
  externalExecution: external_execution_required === true && asked === undefined && outcome_unknown !== true,
  approval: approval_type === "audit" ? "audit" : undefined
})

/** The tool of a new call. Undefined: there is none of the name. */
export const toolOf = (agent: Agent, call: Call): Tool.Tool | undefined => {
  const isOfOther = call.offered_by !== undefined && !isSame(call.offered_by, offeredBy(agent, call.name))
  return offered(agent, call) ?? (isOfOther ? standIn(agent, call) : undefined)
}

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
  const offered: Offered = {
    by: new Map([...sources].map(([name, source]) => [name, { source }])),
    client: new Map(),
    sources: new Map(offers.map(([{ name }, offer]) => [name, offer]))
  }
  return { tools, sources, failures, offered }
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
  command: AgentCommand
): Effect.fn.Return<Opened, never, Scope.Scope> {
  const { agent } = command
  const { failures, offered, sources, tools } = yield* ask(agent)
  return { command: { ...command, agent: ToolSearch.deferring({ ...agent, tools, offered }, sources) }, failures }
})
