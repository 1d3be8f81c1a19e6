// Which runs of an agent execute one after the other: runs that can see each other's effects.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import type { AgentCommand } from "../../src/agent/execute/AgentCommand.ts"
import { isSerialized } from "../../src/agent/execute/isSerialized.ts"
import { commandOf } from "./Harness.ts"

type Case = readonly [options: Partial<Agent.Options>, given: Partial<AgentCommand>, expected: boolean]

const hook = { name: "hook", run: () => {} }

const cases: Readonly<Record<string, Case>> = {
  "observes nothing and calls no tool": [{ description: "d", instructions: ["i"], reasoning: true }, {}, false],
  "is given dependencies, metadata and a schema": [
    {},
    { dependencies: { a: 1 }, metadata: { a: 1 }, add_dependencies_to_context: true },
    false
  ],
  "reads the earlier runs": [{ addHistoryToContext: true }, {}, true],
  "is configured not to read the earlier runs": [
    { addHistoryToContext: true },
    { add_history_to_context: false },
    false
  ],
  "is configured to read the earlier runs": [{}, { add_history_to_context: true }, true],
  "reads none of the earlier runs": [{ addHistoryToContext: true, numHistoryRuns: 0 }, {}, false],
  "shows the state of the session to the model": [{}, { add_session_state_to_context: true }, true],
  "is given state for the session": [{}, { session_state: {} }, true],
  "has a tool": [{ tools: [Tool.make({ name: "t", execute: () => 1 })] }, {}, true],
  "has a hook before": [{ preHooks: [hook] }, {}, true],
  "has a hook after": [{ postHooks: [hook] }, {}, true],
  "has instructions that are made for each run": [{ instructions: () => "i" }, {}, true]
}

describe("a run is serialized, or is not, when it", () => {
  for (const [name, [options, given, expected]] of Object.entries(cases)) {
    it(`a run that ${name} ${expected ? "is serialized" : "is not serialized"}`, () => {
      assert.strictEqual(isSerialized(commandOf(Agent.make({ id: "agent", ...options }), given)), expected)
    })
  }
})
