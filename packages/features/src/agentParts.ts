// The options that features add to agents and teams, in the order of their tools. It is a list of its own, beside
// `features.ts`, because agents are defined before a service is composed, and the types of their options depend on it.
// What the options do in runs comes from the records: a service refuses an agent that uses a feature which it lacks.
import * as BackgroundTasks from "./backgroundTasks/agentPart.ts"
import * as Knowledge from "./knowledge/agentPart.ts"
import * as Learning from "./learning/agentPart.ts"
import * as Memory from "./memory/agentPart.ts"
import * as Prompts from "./prompts/agentPart.ts"
import * as Skills from "./skills/agentPart.ts"
import * as Summaries from "./summaries/agentPart.ts"
import * as Workspace from "./workspace/agentPart.ts"

// their options are known where this list is imported
export { BackgroundTasks, Knowledge, Learning, Memory, Prompts, Skills, Summaries, Workspace }

export const parts = [
  Memory.part,
  Summaries.part,
  Learning.part,
  Knowledge.part,
  Skills.part,
  BackgroundTasks.part,
  Workspace.part,
  Prompts.part
]
