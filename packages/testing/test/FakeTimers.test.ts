import { Agent } from "@svc-runtime/server"
import { afterEach, assert, describe, it, vi } from "vitest"
import { scriptedModel, testService } from "../src/index.ts"

const agents = [Agent.make({ id: "helper", model: scriptedModel(["Yes"]) })]

describe("a test with fake timers", () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it("a service is refused, with what moves its clock", async () => {
    vi.useFakeTimers()
    const error: unknown = await testService({ agents }).then(() => undefined, (error: unknown) => error)
    assert.instanceOf(error, Error)
    assert.match((error as Error).message, /^testService: the timers are faked, .* write service\.advance\(…\)/)
  })

  it("dates alone can be faked", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await using service = await testService({ agents })
    assert.strictEqual((await service.agent("helper").run("Hi")).content, "Yes")
  })
})
