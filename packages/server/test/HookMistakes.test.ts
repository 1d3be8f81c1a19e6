// Hooks that would never be called, because their stages are missing or have other names.
import { assert, describe, it } from "@effect/vitest"
import { areRefused, untyped } from "./Mistaken.ts"

const { Agent, Team } = untyped

const having = (hook: unknown) => () => Agent.make({ id: "a", hooks: [hook] })
const checking = (hook: unknown) => () => Agent.make({ id: "a", preHooks: [hook] })

const stages = "beforeRun, afterRun, beforeModel, afterModel, beforeTool and afterTool"
const stageless = `Agent 'a': hooks[0] has no stage, so that it would never be called. Its stages are ${stages}`

describe("hooks that would never be called", () => {
  areRefused([
    ["no stage", having({ name: "x" }), stageless],
    ["an undefined stage", having({ name: "x", beforeRun: undefined }), stageless],
    [
      "a class without methods",
      having(
        new (class {
          name = "x"
        })()
      ),
      stageless
    ],
    [
      "a class with other methods",
      having(
        new (class {
          name = "x"
          watch() {}
        })()
      ),
      stageless
    ],
    [
      "a misspelt method",
      having(
        new (class {
          name = "x"
          beforRun() {}
        })()
      ),
      "Agent 'a': hooks[0]: there is no option 'beforRun'. Did you mean 'beforeRun'?"
    ],
    [
      "a misspelt method beside a stage",
      having(
        new (class {
          name = "x"
          afterRun() {}
          beforRun() {}
        })()
      ),
      "Agent 'a': hooks[0]: there is no option 'beforRun'. Did you mean 'beforeRun'?"
    ],
    [
      "a misspelt function in a field",
      having(
        new (class {
          name = "x"
          aftrTool = () => 1
        })()
      ),
      "Agent 'a': hooks[0]: there is no option 'aftrTool'. Did you mean 'afterTool'?"
    ],
    [
      "a misspelt method of a class that it extends",
      having(
        new (class extends (class {
          beforRun() {}
        }) {
          name = "x"
        })()
      ),
      "Agent 'a': hooks[0]: there is no option 'beforRun'. Did you mean 'beforeRun'?"
    ],
    [
      "a stage that is no function",
      having(
        new (class {
          name = "x"
          beforeRun = 5
        })()
      ),
      "Agent 'a': hooks[0]: beforeRun must be a function, and is the number 5"
    ],
    [
      "the method of a processor",
      having(
        new (class {
          name = "x"
          processInput() {}
        })()
      ),
      "Agent 'a': hooks[0]: there is no option 'processInput'. Did you mean 'beforeRun'?"
    ],
    [
      "a processor that is an object",
      having({ name: "x", processOutputResult() {} }),
      "Agent 'a': hooks[0]: there is no option 'processOutputResult'. Did you mean 'afterRun'?"
    ],
    [
      "a guardrail with execute",
      having({ name: "x", execute: () => ({ tripwireTriggered: true }) }),
      "Agent 'a': hooks[0]: there is no option 'execute'. Write beforeRun to check the input, and afterRun for the answer"
    ],
    [
      "a listener",
      having({ name: "x", onStart() {} }),
      "Agent 'a': hooks[0]: there is no option 'onStart'. Did you mean 'beforeRun'?"
    ],
    [
      "middleware around the model",
      having({ name: "x", wrapModelCall() {} }),
      "Agent 'a': hooks[0]: there is no option 'wrapModelCall'. Did you mean 'afterModel' or 'beforeModel'?"
    ],
    [
      "middleware around tools",
      having({ name: "x", wrapToolCall() {} }),
      "Agent 'a': hooks[0]: there is no option 'wrapToolCall'. Did you mean 'afterTool' or 'beforeTool'?"
    ],
    [
      "a class that is a check, among hooks",
      having(
        new (class {
          name = "x"
          run() {}
        })()
      ),
      "Agent 'a': hooks[0] is a check. Write preHooks: [ … ], or postHooks: [ … ]"
    ],
    [
      "a class with stages, among checks",
      checking(
        new (class {
          name = "x"
          run() {}
          beforeRun() {}
        })()
      ),
      "Agent 'a': preHooks[0] is a guardrail, or a hook with stages. Write hooks: [ … ]"
    ],
    [
      "a class without run, among checks",
      checking(
        new (class {
          name = "x"
          check() {}
        })()
      ),
      "Agent 'a': preHooks[0] has no run. Give it the function that checks"
    ],
    [
      "the class itself",
      having(
        class Guard {
          beforeRun() {}
        }
      ),
      "Agent 'a': hooks[0] takes an object with options, and was given a function. Is it to be called? Write () after it"
    ],
    [
      "a hook of a team",
      () => Team.make({ id: "t", members: [Agent.make({ id: "m" })], hooks: [{ name: "x" }] }),
      stageless.replace("Agent 'a'", "Team 't'")
    ]
  ])
})

describe("a hook of a class", () => {
  it("a method with nearly the name of a stage that the hook has is its own", () => {
    class Guard {
      name = "x"
      beforeTool() {}
      beforeTools() {}
    }
    assert.doesNotThrow(having(new Guard()))
  })
})
