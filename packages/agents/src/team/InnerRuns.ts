// Executes a run of an agent or of a team's leader whose tools start runs inside of it.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { Effect, Option } from "effect"
import type { Agent } from "../agent/define/Agent.ts"
import * as InnerRunsJournal from "../agent/execute/InnerRunsJournal.ts"
import * as ComponentTool from "../nested/ComponentTool.ts"
import * as DurableCalls from "../nested/DurableCalls.ts"
import * as MemberRuns from "./MemberRuns.ts"

interface Outer extends Pick<MemberRuns.Outer, "command" | "id" | "prepare"> {
  readonly agent: Agent
  /** Of a team. */
  readonly members?: Pick<MemberRuns.Outer, "isShown" | "memberOf">
}

/** What the outer run is executed with. */
export interface Inside {
  readonly members: MemberRuns.MemberRuns
  readonly journal: InnerRunsJournal.InnerRunsJournal
  /** Of its tools. */
  readonly durable: DurableCalls.DurableCalls
  /** The journal of the outer run itself. */
  readonly own: RunJournal.RunJournal
  /** The agent whose tools call the components. */
  readonly agent: Agent
}

export interface Ended {
  readonly result: RunResult<Run.Output>
  /** The runs inside, in the order of their calls. */
  readonly inner: ReadonlyArray<AnyRun.Output>
}

/** The agent with its component tools as they are called in this run. */
const boundTo = (agent: Agent, tools: ReadonlyArray<ComponentTool.ComponentTool>, { ask }: MemberRuns.MemberRuns) =>
  tools.length === 0 ? agent : {
    ...agent,
    tools: new Map([
      ...agent.tools,
      ...tools.map((tool) => [tool.name, ComponentTool.bound(tool, ask)] as const)
    ])
  }

export const around = Effect.fnUntraced(function*(
  { agent, command, id, members: ofTeam, prepare }: Outer,
  start: Start,
  execute: (inside: Inside) => Effect.Effect<Option.Option<RunResult<Run.Output>>>
) {
  const tools = ComponentTool.of(agent)
  const journal = yield* InnerRunsJournal.open(start.journal)
  const members = yield* MemberRuns.make({
    command,
    id,
    start,
    journal,
    prepare,
    memberOf: (id) => ComponentTool.find(tools, id)?.component ?? ofTeam?.memberOf(id),
    isShown: (id) => ComponentTool.find(tools, id)?.streamEvents ?? ofTeam?.isShown(id) ?? true
  })
  const own = RunJournal.own(start.journal)
  const durable = DurableCalls.make({ command, start, ...members })
  const result = yield* execute({ members, journal, durable, own, agent: boundTo(agent, tools, members) })
  if (start.cancellation.reason !== undefined) yield* members.end
  return Option.map(result, (result): Ended => ({ result, inner: members.outputs() }))
})
