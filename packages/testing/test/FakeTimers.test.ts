// Tests that replace the timers, and a time of the start that is none.
import { Agent } from "@svc-runtime/server"
import { mock } from "node:test"
import { afterEach, assert, describe, it, vi } from "vitest"
import { assertCompleted, scriptedModel, testService } from "../src/index.ts"

const refusal = (options: object = {}) =>
  Promise.resolve().then(() => testService(options)).then((service) => service.close().then(() => ""), String)

afterEach(() => {
  vi.useRealTimers()
  mock.timers.reset()
})

const sentence =
  "Mistake: The timers are fake, and the service waits for real ones. It has a clock of its own: leave " +
  "the timers as they are, and move its time with service.advance(…), or fake only the Date"

describe("timers that a test replaces", () => {
  it.each<[string, () => unknown]>([
    ["of the runner", () => vi.useFakeTimers()],
    ["only setImmediate", () => vi.useFakeTimers({ toFake: ["setImmediate"] })],
    ["of Node", () => mock.timers.enable({ apis: ["setTimeout"] })]
  ])("a service that would never start is refused with what to write: %s", async (_, fake) => {
    fake()
    assert.strictEqual(await refusal(), sentence)
  })

  it("the Date alone can be replaced, and the next service starts with real timers", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    await using service = await testService({ agents: [Agent.make({ id: "a", model: scriptedModel(["Hi"]) })] })
    assertCompleted(await service.agent("a").run("Hello"))
  })
})

describe("the time at the start", () => {
  it.each<[unknown, string]>([
    ["nonsense", "the text 'nonsense'"],
    ["", "the text ''"],
    [NaN, "the number NaN"],
    [true, "the boolean true"],
    [{}, "an empty object"],
    [() => 1, "a function"],
    [null, "null"]
  ])("what is no time is refused with the option: %s", async (startAt, is) => {
    const message = `Mistake: testService: startAt must be a time, such as "2026-01-01T00:00:00Z", and is ${is}`
    assert.strictEqual(await refusal({ startAt }), message)
  })
})
