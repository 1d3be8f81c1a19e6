// Text that waits for a slow store is joined: nothing is lost, moved or changed after the store has got it.
import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Session from "@svc-runtime/domain/Session"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as JoinedText from "../../src/run/events/JoinedText.ts"
import * as RunEvents from "../../src/run/events/RunEvents.ts"

const content = (more: object = {}) => ({
  event: "RunContent",
  workflow_agent: false,
  content_type: "str",
  reasoning_content: "",
  ...more
})

/** Everything that a run may publish, with a text of its own where it has one. */
const kinds = {
  word: (text) => content({ content: text }),
  leader: (text) => ({ event: "TeamRunContent", content_type: "str", reasoning_content: "", content: text }),
  reasoning: (text) => content({ reasoning_content: text }),
  both: (text) => content({ content: text, reasoning_content: text }),
  empty: () => content({ content: "" }),
  object: (text) => content({ content: { text }, content_type: "Answer" }),
  cited: (text) => content({ content: text, citations: { urls: [] } }),
  partial: (text) => ({ event: "RunContentPartial", content_partial: text, content_type: "Answer" }),
  member: (text) => content({ content: text, run_id: "member", session_id: "session", nested_depth: 1 }),
  step: (text) => content({ content: text, run_id: "member", session_id: "session", nested_depth: 1, step_id: "one" }),
  call: () => ({ event: "ToolCallStarted", tool: {} }),
  end: () => ({ event: "RunContentCompleted" })
} satisfies Record<string, (text: string) => object>

type Kind = keyof typeof kinds
const names = Object.keys(kinds) as [Kind, ...Array<Kind>]
const joins: ReadonlySet<string> = new Set<Kind>(["word", "leader", "reasoning", "member", "step"])

const eventsOf = () =>
  RunEvents.make({
    command: { run_id: Run.Id.make("run"), session_id: Session.Id.make("session") },
    component: { kind: "agent", id: "agent", tags: { agent_id: "agent", agent_name: "agent" } } as never,
    isKept: true,
    first: 0,
    onPending: () => {},
    onStored: () => {}
  })

const fieldsOf = ({ created_at: _, event_index: __, ...fields }: RunEvent.RunEvent): Record<string, unknown> => fields

/** The events as if all parts of a text that follow each other were one event. */
const wholes = (events: ReadonlyArray<Record<string, unknown>>) => {
  const result: Array<Record<string, unknown>> = []
  for (const event of events) {
    const last = result.at(-1)
    const field = event["reasoning_content"] === "" ? "content" : "reasoning_content"
    const other = (of: Record<string, unknown>) => JSON.stringify({ ...of, [field]: undefined })
    const isText = (of: Record<string, unknown>) =>
      typeof of[field] === "string" && of[field] !== "" && (field === "content" || of["content"] === undefined)
    if (last !== undefined && isText(last) && isText(event) && other(last) === other(event)) {
      result[result.length - 1] = { ...last, [field]: `${last[field]}${event[field]}` }
    } else result.push(event)
  }
  return result
}

const publish = (events: RunEvents.RunEvents, kind: Kind, text: string) => events.publish(kinds[kind](text) as never)

const Step = Schema.Literals([...names, "word", "word", "word", "later", "later", "given", "stored", "lost"])
const Steps = Schema.Array(Step).check(Schema.isMaxLength(80))

describe("text that waits for the store", () => {
  it.effect.prop(
    "texts keep their order, indexes have no gap, and what the store has got stays as it is",
    [Steps],
    ([steps]) =>
      Effect.gen(function*() {
        const [joined, separate] = [yield* eventsOf(), yield* eventsOf()]
        let given: ReadonlyArray<RunEvent.RunEvent> = []
        const seen = new Map<number, string>()
        const give = () => {
          given = joined.unstored()
          for (const event of given) {
            const text = JSON.stringify(event)
            assert.strictEqual(seen.get(event.event_index) ?? text, text)
            seen.set(event.event_index, text)
          }
        }
        for (const [index, step] of steps.entries()) {
          if (step === "later") yield* TestClock.adjust(RunEvents.joinAfter)
          else if (step === "given" || step === "lost") give()
          else if (step === "stored") joined.stored(given)
          else {
            publish(joined, step, `${index} `)
            publish(separate, step, `${index} `)
            separate.unstored()
          }
        }
        give()
        joined.stored(given)
        const shown = joined.feed.from(0) ?? []
        assert.deepStrictEqual(shown.map(({ event_index }) => event_index), [...shown.keys()])
        assert.deepStrictEqual(shown.map((event) => JSON.stringify(event)), [...seen.values()])
        assert.deepStrictEqual(wholes(shown.map(fieldsOf)), wholes(separate.unstored().map(fieldsOf)))
      }),
    { arbitrary: { runs: Tier.size(200, 5000), seed: Seed.seed } }
  )

  it("only texts of the same kind, run and step are joined", () => {
    for (const first of names) {
      for (const second of names) {
        const [before, after] = [kinds[first]("a"), kinds[second]("b")]
        const isJoined = JoinedText.continued({ ...before }, { ...after }) !== undefined
        assert.strictEqual(isJoined, first === second && joins.has(first), `${first}, ${second}`)
      }
    }
  })

  it.effect("words are joined only if they have to wait", () =>
    Effect.gen(function*() {
      const events = yield* eventsOf()
      const count = () => events.unstored().length
      publish(events, "word", "a")
      yield* TestClock.adjust(RunEvents.joinAfter)
      for (let waiting = 1; waiting < RunEvents.maxWaiting; waiting++) publish(events, "word", "a")
      assert.strictEqual(count(), RunEvents.maxWaiting, "few words are not joined")
      for (const word of ["b", "c", "d"]) publish(events, "word", word)
      assert.strictEqual(count(), RunEvents.maxWaiting + 1)
      const last = events.unstored().at(-1)!
      assert.strictEqual("content" in last && last.content, "bcd")
      events.stored(events.unstored())
      for (let word = 0; word < 20; word++) publish(events, "word", "e")
      assert.strictEqual(count(), 20, "words that come at once are not joined")
    }))

  it.effect("a joined text has a limit", () =>
    Effect.gen(function*() {
      const events = yield* eventsOf()
      for (let waiting = 1; waiting < RunEvents.maxWaiting; waiting++) publish(events, "end", "")
      publish(events, "word", "a".repeat(JoinedText.maxLength - 1))
      yield* TestClock.adjust(RunEvents.joinAfter)
      publish(events, "word", "b")
      publish(events, "word", "c")
      const lengths = events.unstored().flatMap((event) => "content" in event ? String(event.content).length : [])
      assert.deepStrictEqual(lengths, [JoinedText.maxLength, 1])
    }))
})
