// A run of an agent with components as tools: the run of the agent, and the runs of its tools inside of it.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Run from "@svc-runtime/domain/Run"
import type { Runnable, RunResult, Start } from "@svc-runtime/engine/run/Runnable"
import { Effect, Option } from "effect"
import type { AgentCommand } from "../agent/execute/AgentCommand.ts"
import type { Dependencies } from "../agent/execute/AgentExecution.ts"
import * as AgentRunner from "../agent/execute/AgentRunner.ts"
import * as InnerRunEvents from "../team/InnerRunEvents.ts"
import * as InnerRuns from "../team/InnerRuns.ts"
import * as ComponentTool from "./ComponentTool.ts"
import type { Prepare } from "./InnerCommand.ts"

interface Parts {
  /** Of the agent. */
  readonly own: Dependencies
  /** Starts the runs of its tools. */
  readonly prepare: Prepare
}

const execute = Effect.fnUntraced(
  function*(command: AgentCommand, { own: dependencies, prepare }: Parts, start: Start) {
    const { agent } = command
    const ended = yield* InnerRuns.around({ agent, command, id: agent.id, prepare }, start, ({ agent: bound, own }) => {
      const runnable = AgentRunner.make({ ...command, agent: bound }, dependencies)
      return runnable.run({ ...start, journal: own, emit: InnerRunEvents.ofAgent(start, own, ComponentTool.of(agent)) })
    })
    return Option.map(ended, ({ inner, result }): RunResult<Run.Output> => ({
      ...result,
      output: AnyRun.withInner(result.output, inner)
    }))
  }
)

/** A run of an agent as a Runnable. */
export const make = (command: AgentCommand, parts: Parts): Runnable<Run.Output> => {
  const runnable = AgentRunner.make(command, parts.own)
  return ComponentTool.of(command.agent).length === 0
    ? runnable
    : { ...runnable, run: (start) => execute(command, parts, start) }
}
