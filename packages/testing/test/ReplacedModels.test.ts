// What functions give to run() and generate() by mistake is named the same in a test with models of its own.
import { Agent, Step, Workflow } from "@svc-runtime/server"
import { assert, describe, it } from "vitest"
import { scriptedModel, testService } from "../src/index.ts"

const helper = Agent.make({ id: "helper" })

type Called = Parameters<Extract<Parameters<typeof Step.make>[0]["run"], (...given: never) => unknown>>[0]

const failing = (id: string, run: (context: Called) => unknown) =>
  Workflow.make({ id, steps: [Step.make({ name: "s", run: (context) => run(context as never) as never })] })

const workflows = [
  failing("id", ({ run }) => run("helper" as never, "x")),
  failing("words", ({ run }) => run("my helper" as never, "x")),
  failing("nothing", ({ run }) => run(undefined as never, "x")),
  failing("text", ({ generate }) => generate("Write it" as never)),
  failing("empty", ({ generate }) => generate(undefined as never))
]

const model = scriptedModel([])

describe("mistakes in functions", () => {
  it.each<[string, object]>([
    ["models of its own", { models: { helper: model, generate: model } }],
    ["one model", { model }]
  ])("a mistake has the same sentence in a test with %s", async (_, models) => {
    await using service = await testService({ agents: [helper], workflows, ...models })
    const contentOf = async (id: string) => String((await service.workflow(id).run("Go")).content)
    const run = "run() takes an agent, a team or a workflow, and was given"
    assert.include(
      await contentOf("id"),
      `${run} the text 'helper'. Import the component, and write run(helper, …)`
    )
    assert.include(
      await contentOf("words"),
      `${run} the text 'my helper'. Import the component, and write run(component, …)`
    )
    assert.include(await contentOf("nothing"), `${run} undefined`)
    const generate = "generate() takes an object with options, and was given"
    assert.include(await contentOf("text"), `${generate} the text 'Write it'. Write an object, such as { prompt: … }`)
    assert.include(await contentOf("empty"), `${generate} undefined. Write an object, such as { prompt: … }`)
  })
})
