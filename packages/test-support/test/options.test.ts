// An option of runs is declared in one table and passed on as part of one value. A file spells its name only where the
// option acts, so that an option is added, renamed or removed in few files.
import { assert, describe, it } from "@effect/vitest"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { globSync, readFileSync } from "node:fs"

const packages = new URL("../..", import.meta.url).pathname

/** The files that spell an option, beside the table that declares it. */
const spelled: Readonly<Record<string, ReadonlyArray<string>>> = {
  previous_run_id: ["engine/src/run/NewRun.ts"],
  if_busy: ["engine/src/run/NewRun.ts", "postgres/src/runs/CreateColumns.ts"],
  on_disconnect: ["server/src/handlers/componentRuns/RunResponse.ts", "server/src/ws/SocketRuns.ts"],
  session_state: ["engine/src/run/SharedOptions.ts", "agents/src/runService/RunIdentity.ts"],
  dependencies: ["agents/src/agent/execute/AgentRunner.ts", "agents/src/runService/RunIdentity.ts"],
  metadata: ["engine/src/RunContextOptions.ts"],
  output_schema: ["agents/src/agent/execute/AgentCommand.ts", "http/src/forms/RunForm.ts"],
  use_json_schema: ["http/src/forms/RunForm.ts"],
  add_history_to_context: ["agents/src/agent/execute/AgentCommand.ts", "agents/src/agent/define/AgentRunOptions.ts"],
  add_dependencies_to_context: ["agents/src/agent/execute/AgentRunner.ts"],
  add_session_state_to_context: ["agents/src/agent/execute/AgentRunner.ts", "agents/src/agent/execute/isSerialized.ts"],
  memory: ["agents/src/agent/execute/AgentCommand.ts"],
  knowledge_filters: ["features/src/knowledge/agentPart.ts", "http/src/forms/KnowledgeFilters.ts"]
}

/** They have settings of the same names for the authors of components. */
const settings = [
  "domain/src/Agent.ts",
  "agents/src/agent/define/Agent.ts",
  "agents/src/agent/define/AgentDetail.ts",
  "features/src/memory/agentPart.ts",
  "features/src/components/AgentConfig.ts",
  "features/src/components/WorkflowConfig.ts",
  "agents/src/workflow/Workflow.ts"
]

/** Words that also name other fields: only those of a value with options count. */
const ambiguous = ["session_state", "dependencies", "metadata", "memory", "evaluation", "previous_run_id"]

const value = "(?:asked|chosen|command|given|identity|options|request|shared)"
const type = "(?:\\w+\\.)?(?:\\w*Command|\\w*Options|StartRequest)"

const spells = (name: string) =>
  new RegExp(
    ambiguous.includes(name)
      ? `\\b${value}\\.${name}\\b|\\{[^{}]*\\b${name}\\b[^{}]*\\}(?: = ${value}\\b|: ${type}\\b)`
      : `(?<!\\w)${name}\\b`
  )

/** A comment, or a text with spaces, is for people and follows the option without effort. */
const codeOf = (text: string): string =>
  text.replaceAll(/\/\*[^]*?\*\/|\/\/.*$|(["`'])(?:(?!\1)[^\n])* (?:(?!\1)[^\n])*\1/gm, "")

const declaration = "domain/src/RunOption.ts"

/** Files that are made from the declarations, and texts about them. */
const follows = /\/generated\/|^(api\/src\/documentation|features\/src\/document)\/|\/test\//

const sources = new Map(
  globSync("{api,auth,client,cli,domain,models,engine,agents,http,features,postgres,server}/src/**/*.ts", {
    cwd: packages
  })
    .filter((path) => path !== declaration && !settings.includes(path) && !follows.test(path))
    .map((path) => [path, codeOf(readFileSync(`${packages}/${path}`, "utf8"))])
)

const { answer, context, disconnect, shared, start } = RunOption

describe("the options of runs", () => {
  for (const name of RunOption.namesOf({ ...start, ...disconnect, ...shared, ...answer, ...context })) {
    it(`${name} is spelled in at most three files, each of which is known`, () => {
      const found = [...sources].filter(([, code]) => spells(name).test(code)).map(([path]) => path)
      assert.deepStrictEqual(found.sort(), [...spelled[name] ?? []].sort(), "pass the options on as one value")
      assert.isAtMost(found.length + 1, 3)
    })
  }
})
