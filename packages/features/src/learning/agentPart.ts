// What learnings add to agents: the option `learning`, tools, a section of the context, and jobs after runs.
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import { isRoot, rootOf } from "@svc-runtime/agents/agent/execute/AgentCommand"
import type { RunPart, ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import { reachesUser } from "@svc-runtime/engine/run/InheritedOptions"
import { Effect } from "effect"
import * as CurrentLearnings from "./CurrentLearnings.ts"
import * as LearningContext from "./LearningContext.ts"
import * as LearningJob from "./LearningJob.ts"
import * as LearningOption from "./LearningOption.ts"
import * as LearningTools from "./LearningTools.ts"

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureOptions {
    /** Learn from runs, and use what was learned: `true` for the defaults. */
    readonly learning?: LearningOption.Options | boolean | undefined
  }
  interface FeatureSettings {
    readonly learning: LearningOption.Learning | undefined
  }
}

const name = "learning"

export const part: AgentPart = {
  name,
  options: { learning: { options: LearningOption.kinds, orFlag: true } },
  define: (options, owner) => {
    if (options.learning === undefined || options.learning === false) {
      return { settings: { learning: undefined }, tools: [] }
    }
    const learning = LearningOption.make(owner.name, options.learning)
    return {
      settings: { learning },
      tools: learning === undefined ? [] : LearningTools.make(learning, owner.isLeader)
    }
  },
  isUsed: ({ learning }) => learning !== undefined,
  backgroundModel: ({ learning }) => learning?.isAlways === true ? { name, own: learning.model } : undefined,
  afterWorkflow: {
    applies: ({ learning }) => learning?.isAlways === true,
    jobs: (run) => run.agent.learning === undefined ? Effect.succeed([]) : LearningJob.after(run, run.agent.learning)
  }
}

export const forAgent = Effect.map(
  CurrentLearnings.stores,
  (stores): ServedPart["forAgent"] => ({ learning }) =>
    Effect.succeed(({ command, context, isLeader }): RunPart => {
      const { agent, run_id, session_id, user_id } = command
      const isWithout = !reachesUser(command)
      return {
        order: 40,
        sources: learning === undefined ? [] : [LearningContext.source(learning, context)],
        jobs: learning?.isAlways === true && isRoot(command) && !isWithout
          ? LearningJob.after({ agent, isLeader, run_id, session_id, user_id }, learning)
          : undefined,
        gives: CurrentLearnings.CurrentLearnings.context(
          isWithout ? undefined : { ...stores, root_run_id: rootOf(command) }
        )
      }
    })
)
