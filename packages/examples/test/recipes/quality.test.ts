import { assert, describe, it } from "@effect/vitest"
import * as canary from "@svc-runtime/examples/recipes/canary"
import { rate } from "@svc-runtime/examples/recipes/feedback"
import { application } from "@svc-runtime/examples/recipes/limits"
import * as scoring from "@svc-runtime/examples/recipes/scoring"
import * as Tier from "@svc-runtime/test-support/Tier"
import { scriptedModel, testService } from "@svc-runtime/testing"
import { join } from "node:path"
import * as Program from "./Program.ts"

Tier.oneIn(2)

describe("recipes about quality", () => {
  it("an answer that a person dislikes becomes an item of a dataset", async () => {
    await using service = await testService({ ...application, model: scriptedModel(["391", "390"]) })
    const good = await service.client.agent("assistant").run("What is 17 times 23?")
    const bad = await service.client.agent("assistant").run("And 17 times 23?")
    await rate(service.client, good, true)
    await rate(service.client, bad, false)
    const { data: [dataset] } = await service.client.datasets.list()
    const items = JSON.stringify(await service.client.datasets.items(dataset!.id))
    assert.include(items, "And 17 times 23?")
    assert.notInclude(items, "What is 17 times 23?")
  })

  it("the new prompt answers its part of the sessions, until it is published or stopped", async () => {
    const model = scriptedModel(["a", "b", "c", "d"])
    await using service = await testService({ ...application, limits: {}, model })
    const { client } = service
    await canary.prepare(client)
    const isNew = async (session_id: string) => {
      await client.agent("greeter").run({ message: "Hello", session_id })
      return JSON.stringify(model.requests.at(-1)?.prompt).includes("with a joke")
    }
    assert.isFalse(await isNew("s1"))
    await canary.begin(client, 100)
    assert.isTrue(await isNew("s1"))
    await canary.change(client, 0)
    assert.isFalse(await isNew("s1"))
    const { versions } = await canary.compare(client)
    assert.deepStrictEqual(versions.map(({ runs, version }) => [version, runs.total]), [[1, 2], [2, 1]])
    assert.strictEqual((await canary.stop(client, "It is not funny")).state, "ended")
    await canary.publish(client)
    assert.isTrue(await isNew("s1"))
  })

  it("a live answer gets a score in the background", async () => {
    await using service = await testService({ ...scoring.application, model: scriptedModel(["Thank you."]) })
    await service.agent("polite").run("Hello")
    await service.until(async () => (await service.client.feedback.list({ source: "scorer" })).data.length > 0)
    const { data: [score] } = await service.client.feedback.list({ source: "scorer" })
    assert.strictEqual(Number(score?.score), 1)
  })

  it("the evaluation passes with the right answer, and fails with another one", async () => {
    const model = scriptedModel(["Paris, of course.", "I do not know."])
    await using service = await testService({ ...application, limits: {}, model, listen: true })
    const evaluated = () =>
      Program.svc(["eval", "run", join(Program.recipes, "evaluation.yaml")], { PLATFORM_URL: service.url })
    const passed = await evaluated()
    assert.strictEqual(passed.code, 0, passed.stderr)
    assert.strictEqual((await evaluated()).code, 1)
  })
})
