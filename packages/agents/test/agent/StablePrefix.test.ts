// The beginning of requests over many runs of a session, whatever happens in them.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Prompt } from "effect/ai"
import type { Settings } from "../../src/agent/define/ContextLimits.ts"
import * as ContextFit from "../../src/agent/execute/context/ContextFit.ts"

Tier.oneIn(3)

/** From 0 to 1. The same numbers in each test. */
const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

const user = (text: string) => Prompt.userMessage({ content: [Prompt.textPart({ text })] })
const answer = (text: string) => Prompt.assistantMessage({ content: [Prompt.textPart({ text })] })

/** A run with up to three calls, some with large results or media. */
const runOf = (next: () => number, number: number): ReadonlyArray<Prompt.Message> => {
  const calls = Math.floor(next() * 4)
  const turns = Array.from({ length: calls }, (_, call) => {
    const id = `c${number}-${call}`
    const common = { id, name: "look", providerExecuted: false }
    const modelOutput = next() < 0.1
      ? [Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([number, call]) })]
      : undefined
    return [
      Prompt.assistantMessage({ content: [Prompt.toolCallPart({ ...common, params: { number } })] }),
      Prompt.toolMessage({
        content: [Prompt.toolResultPart({
          ...common,
          isFailure: next() < 0.1,
          result: `row ${number} `.repeat(Math.ceil(next() * 500)),
          ...(modelOutput === undefined ? {} : { modelOutput })
        })]
      })
    ]
  })
  return [user(`Question ${number} ${"x".repeat(next() * 300)}`), ...turns.flat(), answer(`Answer ${number}`)]
}

const none = {
  maxContextTokens: undefined,
  numHistoryMessages: undefined,
  numToolResults: undefined
}

const system = [Prompt.systemMessage({ content: "Be brief." })]

/** The message without the marks of a request. */
const plain = (message: Prompt.Message) => JSON.stringify({ role: message.role, content: message.content })

const isContext = (message: Prompt.Message) => JSON.stringify(message.content).includes("the time is")

interface Session {
  readonly settings?: Partial<Pick<Settings, keyof typeof none>>
  readonly numHistoryRuns?: number
  readonly isCached?: boolean
  readonly seed: number
}

const count = 50

/** What the first request of each run has before what changes. */
const prefixes = ({ isCached = true, numHistoryRuns = 1000, seed, settings = {} }: Session) => {
  const next = random(seed)
  const runs: Array<ReadonlyArray<Prompt.Message>> = []
  return Array.from({ length: count }, (_, number) => {
    const fit = ContextFit.make({ ...none, ...settings, isCached, emit: () => undefined })
    const history = runs.slice(-numHistoryRuns).flat()
    const input = [user(`the time is ${number}`), user(`Question ${number}`)]
    const opening = { system, history, input, isHistoryFull: runs.length >= numHistoryRuns }
    const sent = fit.promptOf(opening, Prompt.empty).content
    runs.push(runOf(next, number))
    return sent.slice(0, sent.findIndex(isContext)).map(plain)
  })
}

/** How many runs do not begin with all that the run before had before what changes. */
const breaks = (all: ReadonlyArray<ReadonlyArray<string>>): number =>
  all.filter((prefix, index) => {
    const before = all[index - 1] ?? []
    return before.some((message, place) => prefix[place] !== message)
  }).length

describe("the beginning of the requests of a session", () => {
  it("the beginning of a whole history never changes", () => {
    for (let seed = 0; seed < 4; seed++) assert.strictEqual(breaks(prefixes({ seed })), 0)
  })

  it("a history with a number of runs slides in steps, and has at least half of them and at most all", () => {
    for (let seed = 0; seed < 4; seed++) {
      const all = prefixes({ seed, numHistoryRuns: 20 })
      assert.isBelow(breaks(all), count / 3)
      assert.isAbove(breaks(prefixes({ seed, numHistoryRuns: 20, isCached: false })), count / 2)
      for (const [index, prefix] of all.entries()) {
        const shown = prefix.filter((message) => message.startsWith("{\"role\":\"user\"")).length
        assert.isAtMost(shown, 20)
        assert.isAtLeast(shown, Math.min(index, 10))
      }
    }
  })

  it("limits of messages, tokens and results are kept, and requests begin in the same way for some runs", () => {
    const limits = [{ numHistoryMessages: 60 }, { maxContextTokens: 20_000 }, { numToolResults: 12 }]
    for (const settings of limits) {
      let [cached, before] = [0, 0]
      for (let seed = 0; seed < 3; seed++) {
        const all = prefixes({ seed, settings })
        cached += breaks(all)
        before += breaks(prefixes({ seed, settings, isCached: false }))
        for (const prefix of all) {
          if ("numHistoryMessages" in settings) assert.isAtMost(prefix.length - 1, 60)
          if ("maxContextTokens" in settings) assert.isAtMost(prefix.join("").length / 4, 22_000)
        }
      }
      assert.isBelow(cached, before / 2, JSON.stringify(settings))
    }
  })

  it("the same history makes the same request in another process", () => {
    for (const settings of [{}, { maxContextTokens: 5000 }]) {
      const session = { seed: 7, numHistoryRuns: 10, settings }
      assert.deepStrictEqual(prefixes(session), prefixes(session))
    }
  })

  it("a short prompt, whose tokens are those of tools, does not make later requests shorter", () => {
    const settings = { maxContextTokens: 10_000 }
    const key = "agent of a session with many tools"
    const fitOf = () => ContextFit.make({ ...none, ...settings, key, isCached: true, emit: () => undefined })
    const first = fitOf()
    first.promptOf({ system, history: [], input: [user("hello")] }, Prompt.empty)
    first.counted(2000)
    const history = Array.from({ length: 14 }, (_, number) => [user("x".repeat(2500)), answer(`${number}`)]).flat()
    const { content } = fitOf().promptOf({ system, history, input: [user("now")] }, Prompt.empty)
    const characters = content.reduce((sum, message) => sum + ContextFit.sizeOf(message), 0)
    assert.isAbove(characters, 4 * 10_000 / 2)
  })

  it.each([true, false])("a shorter request limits later runs only if its model took it: %s", (isTaken) => {
    const key = `refused ${String(isTaken)}`
    const history = Array.from({ length: 10 }, (_, number) => [user("x".repeat(2500)), answer(`${number}`)]).flat()
    const sent = (fit: ContextFit.ContextFit) => fit.promptOf({ system, history, input: [user("now")] }, Prompt.empty)
    const first = ContextFit.make({ ...none, key, emit: () => undefined })
    const whole = sent(first).content.length
    let repeated = 0
    while (first.shorten()) {
      repeated++
      assert.isBelow(sent(first).content.length, whole)
      if (isTaken) break
    }
    assert.isAtMost(repeated, 3)
    if (isTaken) first.counted(1000)
    const later = sent(ContextFit.make({ ...none, key, emit: () => undefined })).content.length
    if (isTaken) assert.isBelow(later, whole)
    else assert.strictEqual(later, whole)
  })
})
