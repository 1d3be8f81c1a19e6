import { assert, describe, it } from "@effect/vitest"
import { fromJsonSchema } from "@svc-runtime/engine/schema/AnySchema"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { finish, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { z } from "zod"
import * as StructuredOutput from "../../src/agent/execute/model/StructuredOutput.ts"
import { eventsOf, linesOf, logged, run } from "./Harness.ts"

Tier.oneIn(4)

const Movie = Schema.Struct({ title: Schema.String, year: Schema.optionalKey(Schema.Int) }).annotate({
  identifier: "Movie"
})
const movie = { title: "Alien" }
const json = JSON.stringify(movie)

describe("structured output", () => {
  it.effect("structured output is the object, under the title of its schema", () =>
    Effect.gen(function*() {
      const schemas = [
        Movie,
        z.object({ title: z.string() }).meta({ title: "Movie" }),
        { title: "Movie", type: "object", properties: { title: { type: "string" } }, required: ["title"] }
      ]
      for (const outputSchema of schemas) {
        const { output } = yield* run({ outputSchema }, [[text(json)]])
        assert.deepStrictEqual(output.content, movie)
        assert.strictEqual(output.content_type, "Movie")
        assert.strictEqual(output.messages?.at(-1)?.content, json)
      }
    }))

  it.effect("structured output is shown once, as a whole", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie }, [[text(`{"title":`, `"Alien"}`)]])
      assert.deepStrictEqual(eventsOf(ran, "RunContent"), [{
        event: "RunContent",
        content: movie,
        content_type: "Movie",
        workflow_agent: false,
        reasoning_content: ""
      }])
      assert.deepStrictEqual(ran.kinds.slice(-4), [
        "ModelRequestCompleted",
        "RunContent",
        "RunContentCompleted",
        "RunCompleted"
      ])
      assert.deepInclude(ran.endEvent, { content: movie, content_type: "Movie" })
    }))

  it.effect("a correction that calls a tool is left out, because nothing would answer the call", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
      const ran = yield* run({ outputSchema: Movie, tools: [tool] }, [[text("Alien")], [toolCall("look", {})]])
      assert.strictEqual(ran.output.content, "Alien")
      assert.deepStrictEqual(ran.output.messages?.map(({ role }) => role), ["user", "assistant"])
    }))

  it.effect("the output of a raw schema is a dict, and that of a schema without a title a DynamicModel", () =>
    Effect.gen(function*() {
      const shape = fromJsonSchema({ type: "object", properties: { title: { type: "string" } } })
      const raw = yield* run({}, [[text(json)]], { outputSchema: StructuredOutput.raw(shape) })
      assert.strictEqual(raw.output.content_type, "dict")
      const named = yield* run({}, [[text(json)]], { outputSchema: StructuredOutput.named(shape) })
      assert.strictEqual(named.output.content_type, "DynamicModel")
    }))

  it.effect("the output is checked with the caller's schema rather than the agent's", () =>
    Effect.gen(function*() {
      const shape = fromJsonSchema({ title: "Book", type: "object", properties: { pages: { type: "integer" } } })
      const ran = yield* run({ outputSchema: Movie }, [[text(`{"pages":3}`)]], {
        outputSchema: StructuredOutput.named(shape)
      })
      assert.deepStrictEqual([ran.output.content, ran.output.content_type], [{ pages: 3 }, "Book"])
      assert.deepStrictEqual(ran.calls[0]?.responseFormat, { type: "json", name: "Book", schema: shape.jsonSchema })
    }))

  it.effect.each<[string, string]>([
    ["no JSON", "It is Alien"],
    ["JSON of another shape", `{"name":"Alien"}`],
    ["JSON with something of a wrong type", `{"title":"Alien","year":"1979"}`],
    ["nothing", ""]
  ])("an answer that is %s stays text", ([, answer]) =>
    Effect.gen(function*() {
      const { lines, result } = yield* logged(run({ outputSchema: Movie, repairOutput: false }, [[text(answer)]]))
      assert.strictEqual(result.output.status, "COMPLETED")
      assert.deepStrictEqual([result.output.content, result.output.content_type], [answer, "str"])
      assert.deepStrictEqual(eventsOf(result, "RunContent").map((event) => [event.content, event.content_type]), [
        [answer, "str"]
      ])
      assert.isTrue(lines.some(({ level }) => level === "Warn"))
    }))

  it.effect("an answer on which a check throws stays text", () =>
    Effect.gen(function*() {
      const outputSchema = z.object({ title: z.string() }).refine(() => {
        throw new Error("Broken")
      })
      const { output } = yield* run({ outputSchema, repairOutput: false }, [[text(json)]])
      assert.deepStrictEqual([output.status, output.content_type], ["COMPLETED", "str"])
    }))

  it.effect.each<[string, string]>([
    ["a fence", "```\n" + json + "\n```"],
    ["a fence with its language", "\n```json\n" + json + "\n```\n"],
    ["spaces", `  ${json}\n`],
    ["a fence after a sentence", "Here it is [1]:\n```json\n" + json + "\n```\nEnjoy {it}"],
    ["prose", `The movie is ${json}, I think.`]
  ])("the object of an answer is found within %s", ([, answer]) =>
    Effect.gen(function*() {
      const { output } = yield* run({ outputSchema: Movie }, [[text(answer)]])
      assert.deepStrictEqual(output.content, movie)
    }))

  it.effect("a root that is no object is asked for as one object, and its value is the output", () =>
    Effect.gen(function*() {
      for (const answer of [`{"value":["Alien","Blade Runner"]}`, `["Alien","Blade Runner"]`]) {
        const ran = yield* run({ outputSchema: z.array(z.string()) }, [[text(answer)]], { as: "openai:gpt-5" })
        assert.deepStrictEqual(ran.output.content, ["Alien", "Blade Runner"])
      }
    }))

  it("a fence is found in time linear in the length of the text", () => {
    assertLinear(10_000, (size) => {
      const answer = "```" + "\n".repeat(size) + "x" + "{[".repeat(size)
      Effect.runSync(Effect.exit(StructuredOutput.contentOf(StructuredOutput.named(fromJsonSchema({})), answer)))
    })
  })

  it.effect("the schema is sent under a name that every provider accepts", () =>
    Effect.gen(function*() {
      const nameFor = Effect.fnUntraced(function*(title: string | undefined) {
        const outputSchema = { ...(title === undefined ? {} : { title }), type: "object" }
        const { calls } = yield* run({ outputSchema }, [[text("{}")]])
        const format = calls[0]!.responseFormat
        return format.type === "json" ? format.name : undefined
      })
      assert.strictEqual(yield* nameFor("My movie: ä"), "My_movie___")
      assert.strictEqual(yield* nameFor("x".repeat(80)), "x".repeat(64))
      assert.strictEqual(yield* nameFor(""), "answer")
      assert.strictEqual(yield* nameFor(undefined), "answer")
    }))

  it.effect("a model without structured output gets a description of the schema", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie, useJsonMode: true }, [[text(json)]])
      assert.strictEqual(ran.calls[0]?.responseFormat.type, "text")
      assert.deepStrictEqual(ran.output.content, movie)
    }))

  it.effect("structured output comes after the tools, whose results are no part of it", () =>
    Effect.gen(function*() {
      const look = Tool.make({ name: "look", execute: () => "Alien" })
      const ran = yield* run({ outputSchema: Movie, tools: [look] }, [[text("I look."), toolCall("look")], [
        text(json)
      ]])
      assert.deepStrictEqual(ran.output.content, movie)
      assert.strictEqual(eventsOf(ran, "RunContent").length, 1)
    }))

  it.effect("the result of a tool that ends the run can be the output", () =>
    Effect.gen(function*() {
      const find = Tool.make({ name: "find", stopAfterCall: true, execute: () => movie })
      const ran = yield* run({ outputSchema: Movie, tools: [find] }, [[toolCall("find")]])
      assert.deepStrictEqual([ran.output.content, ran.output.content_type], [movie, "Movie"])
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), [movie])
    }))

  it.effect("the request is retried when the model fails halfway, because nothing of it was shown", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie, retries: 1, delayBetweenRetries: 0 }, [
        [text(`{"title":`), Script.fail()],
        [text(json)]
      ])
      assert.deepStrictEqual(ran.output.content, movie)
    }))
})

describe("a structured answer that grows", () => {
  it.effect("parts of the object are shown as they grow, and the whole object at the end", () =>
    Effect.gen(function*() {
      const long = { title: "A".repeat(100), cast: ["Weaver", "Holm"], year: 1979 }
      const chunks = JSON.stringify(long).match(/.{1,20}/g) ?? []
      const ran = yield* run({ outputSchema: { title: "Movie", type: "object" } }, [[text(...chunks)]])
      const partials = eventsOf(ran, "RunContentPartial").map(({ content_partial }) => content_partial)
      assert.isAbove(partials.length, 2)
      for (const partial of partials) assert.isTrue(long.title.startsWith(String((partial as typeof long).title ?? "")))
      assert.deepStrictEqual(eventsOf(ran, "RunContent").map(({ content }) => content), [long])
    }))

  it.effect("parts that the model sends together are shown one after the other", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: { type: "object" } }, [[text(`{"a":1,`, `"b":2,`, `"c":[3]}`)]])
      assert.deepStrictEqual(eventsOf(ran, "RunContentPartial").map(({ content_partial }) => content_partial), [
        { a: 1 },
        { a: 1, b: 2 },
        { a: 1, b: 2, c: [3] }
      ])
    }))

  it.effect("all parts together are at most some times the size of the answer", () =>
    Effect.gen(function*() {
      const answer = JSON.stringify({ list: Array.from({ length: 5000 }, (_, index) => `entry ${index}`) })
      const chunks = answer.match(/.{1,10}/g) ?? []
      const ran = yield* run({ outputSchema: { type: "object" } }, [[text(...chunks)]])
      const bytes = eventsOf(ran, "RunContentPartial").reduce((sum, event) => sum + JSON.stringify(event).length, 0)
      assert.isBelow(bytes, 12 * answer.length)
    }))

  it.effect("an answer that is nested too deep or is no JSON has no parts, and the run ends as before", () =>
    Effect.gen(function*() {
      for (const answer of ["[".repeat(50_000), "I cannot", "{{{", `{"a":`.repeat(500)]) {
        const options = { outputSchema: Movie, repairOutput: false }
        const ran = yield* run(options, [[text(...answer.match(/.{1,1000}/g) ?? [])]])
        assert.strictEqual(ran.output.content_type, "str")
      }
    }))
})

describe("an answer that does not fit its schema", () => {
  it.effect("the model is requested once more with what is wrong, and its second answer counts", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie }, [[text(`{"name":"Alien"}`)], [text(json)]])
      assert.deepStrictEqual(ran.output.content, movie)
      const lines = linesOf(ran.calls[1])
      assert.strictEqual(lines[1], `assistant: {"name":"Alien"}`)
      assert.match(lines[2] ?? "", /^user: The answer does not fit the schema: title: /)
      assert.strictEqual(ran.calls.length, 2)
    }))

  it.effect("an answer that was cut off is requested once more as a shorter one", () =>
    Effect.gen(function*() {
      const cut = [text(`{"name":"Alien","ti`), finish("length")]
      const ran = yield* run({ outputSchema: Movie }, [cut, [text(json)]])
      assert.deepStrictEqual(ran.output.content, movie)
      assert.match(linesOf(ran.calls[1])[2] ?? "", /^user: Your answer was cut off at its token limit\. .*shorter/)
    }))

  it.effect("a refusal is not requested again", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie }, [[text("I cannot help with that"), finish("content-filter")]])
      assert.deepStrictEqual([ran.output.content, ran.output.finish_reason], [
        "I cannot help with that",
        "content_filter"
      ])
      assert.strictEqual(ran.calls.length, 1)
    }))

  it.effect("a second answer that does not fit stays text", () =>
    Effect.gen(function*() {
      const ran = yield* run({ outputSchema: Movie }, [[text("No")], [text("No again")]])
      assert.deepStrictEqual([ran.output.content, ran.output.content_type], ["No again", "str"])
      assert.strictEqual(ran.calls.length, 2)
    }))

  it.effect("the first answer stays if the second request fails, or is not allowed", () =>
    Effect.gen(function*() {
      const failed = yield* run({ outputSchema: Movie }, [[text("No")], [Script.fail()]])
      assert.deepStrictEqual([failed.output.status, failed.output.content], ["COMPLETED", "No"])
      assert.deepStrictEqual(failed.output.messages?.map(({ role }) => role), ["user", "assistant"])
      const single = yield* run({ outputSchema: Movie, repairOutput: false }, [[text("No")]])
      assert.deepStrictEqual([single.output.content, single.calls.length], ["No", 1])
    }))
})
