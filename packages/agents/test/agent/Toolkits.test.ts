import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import { Tool as AiTool } from "effect/ai"
import { z } from "zod"
import { toolkitOf } from "../../src/agent/execute/calls/Toolkits.ts"

const tool = (strict?: boolean) =>
  Tool.make({
    name: "add",
    description: "Adds",
    parameters: z.object({ a: z.number() }),
    ...(strict === undefined ? {} : { strict }),
    execute: ({ a }) => a
  })

describe("the toolkit of an agent", () => {
  it("the toolkit is absent without tools, and made once", () => {
    assert.isUndefined(toolkitOf(Agent.make({ id: "agent" })))
    const agent = Agent.make({ id: "agent", tools: [tool()] })
    assert.strictEqual(toolkitOf(agent), toolkitOf(agent))
  })

  it.each([[undefined], [true], [false]])("the toolkit has the declarations of its tools: strict %s", (strict) => {
    const made = tool(strict)
    const shown = toolkitOf(Agent.make({ id: "agent", tools: [made] }))?.tools["add"]
    assert.isDefined(shown)
    assert.strictEqual(AiTool.getDescription(shown), "Adds")
    assert.strictEqual(AiTool.getStrictMode(shown), strict)
    assert.deepStrictEqual(AiTool.getJsonSchema(shown), made.parameters)
  })
})
