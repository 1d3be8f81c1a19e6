// Random requests of agents: what sessions have after calls, parallel calls, pauses, rejections, forks, cancels, media,
// reasoning, edits and changes of the model, with the names and ids that models invent.
import type { JsonSchema } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import * as AnswerSchema from "../src/AnswerSchema.ts"
import type { ModelSettings } from "../src/ModelSettings.ts"
import type { ResponseFormat } from "../src/RequestOptions.ts"

export interface RandomRequest {
  readonly prompt: Prompt.Prompt
  readonly toolkit: Toolkit.WithHandler<Record<string, Tool.Any>> | undefined
  readonly toolChoice: "auto" | "none" | "required"
  readonly format: ResponseFormat
  readonly settings: ModelSettings
}

const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])

const names = [
  "look",
  "look",
  "send",
  "functions.look",
  "echo<|channel|>commentary",
  "look/at it",
  "",
  "3d_view",
  `mcp__${"long".repeat(20)}`,
  "búsqueda"
]

const ids = [
  "call_0",
  "call_0",
  "terminal_0",
  "",
  "functions.look:0",
  "call_0b8f5c1e-6f0c-4d0e-9a3b-1f0d2c3b4a59",
  "toolu_01A09q90qw90lq917835lq9",
  "abcDEF123",
  "x".repeat(80),
  "id with spaces & more"
]

const texts = ["Fine.", "Done \n", "", "  ", "你好 🌍", "Let me see."]

const schemas: ReadonlyArray<JsonSchema.JsonSchema> = [
  { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
  { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false },
  { type: "object", properties: { a: { type: "string" }, b: { type: "number", minimum: 0, exclusiveMinimum: true } } },
  {
    type: "object",
    properties: { link: { type: "string", format: "uri" }, at: { type: "string", format: "date-time" } },
    required: ["link", "at"],
    additionalProperties: false
  },
  {
    type: "object",
    properties: {
      answer: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { type: "string", const: "a" }, v: { type: "number" } },
            required: ["kind", "v"],
            additionalProperties: false
          },
          {
            type: "object",
            properties: { kind: { type: "string", const: "b" }, w: { type: "string", minLength: 2, maxLength: 5 } },
            required: ["kind", "w"],
            additionalProperties: false
          }
        ]
      }
    },
    required: ["answer"],
    additionalProperties: false
  },
  {
    type: "object",
    properties: {
      list: { type: "array", items: { $ref: "#/$defs/Item", description: "One" }, uniqueItems: true, minItems: 2 },
      kind: { enum: ["x", null, true] }
    },
    required: ["list", "kind"],
    $defs: { Item: { type: ["object", "null"], properties: { child: { $ref: "#/$defs/Item" } } } }
  },
  { type: "object", properties: { m: { type: "object", additionalProperties: { type: "string" } } }, required: ["m"] },
  { type: "object", properties: { v: { type: ["string", "integer", "null"] }, l: { type: "array" } }, required: ["v"] },
  {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "string" } },
    anyOf: [{ required: ["a"] }, { required: ["b"] }]
  },
  { type: "object", properties: { n: { allOf: [{ type: "integer" }], default: 3, maximum: 9 } }, required: ["n"] },
  { type: "object", properties: { t: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] } } },
  { type: "object", patternProperties: { "^x": { type: "string" } }, properties: {} },
  { type: "object", properties: {}, additionalProperties: false }
]

const answers: ReadonlyArray<JsonSchema.JsonSchema> = [
  ...schemas,
  { type: "array", items: { type: "string" } },
  { anyOf: [{ type: "string" }, { type: "object", properties: { again: { $ref: "#" } } }] }
]

const answerName = "Answer"

export const make = (random: () => number) => {
  const pick = <A>(list: ReadonlyArray<A>): A => list[Math.floor(random() * list.length)]!
  const chance = (part: number): boolean => random() < part
  const times = <A>(most: number, make: (index: number) => A): ReadonlyArray<A> =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => make(index))

  const file = () =>
    Prompt.filePart({ mediaType: "image/png", data: chance(0.5) ? png : new URL("https://example.com/a.png") })

  const user = () =>
    Prompt.userMessage({
      content: [Prompt.textPart({ text: pick(["Look twice", "continue", ""]) }), ...(chance(0.15) ? [file()] : [])]
    })

  /** Of the current run; providers sign theirs. */
  const thought = () => {
    const text = pick(["I think", ""])
    const options = pick<Prompt.ProviderOptions>([
      {},
      { anthropic: { signature: "signed" } },
      { google: { thoughtSignature: "signed" } },
      { openai: { itemId: "rs_1", reasoningEncryptedContent: "secret" } }
    ])
    return Prompt.reasoningPart({ text, options })
  }

  const call = () => {
    const params = pick<unknown>([{ x: 1 }, {}, "not json", ["a"], null, { deep: { er: [1, { y: null }] } }])
    return Prompt.toolCallPart({ id: pick(ids), name: pick(names), params, providerExecuted: false })
  }

  const result = ({ id, name }: Prompt.ToolCallPart) =>
    Prompt.toolResultPart({
      id,
      name,
      isFailure: chance(0.2),
      providerExecuted: false,
      result: pick<unknown>(["seen", "", { seen: 1 }, "Tool call was rejected"]),
      ...(chance(0.1) ? { modelOutput: [Prompt.textPart({ text: "shot" }), file()] } : {})
    })

  const toolMessages = (calls: ReadonlyArray<Prompt.ToolCallPart>): ReadonlyArray<Prompt.Message> => {
    // cancelled before its end, or results of calls that an edit has removed
    const answered = chance(0.15) ? calls.slice(1) : calls
    const results = answered.map(result)
    if (chance(0.1)) results.push(result(call()))
    if (chance(0.3)) results.reverse()
    if (results.length === 0) return []
    return chance(0.5)
      ? [Prompt.toolMessage({ content: results })]
      : results.map((part) => Prompt.toolMessage({ content: [part] }))
  }

  const turn = (isCurrent: boolean): ReadonlyArray<Prompt.Message> => {
    const calls = chance(0.75) ? [call(), ...times(2, call)] : []
    const text = chance(0.4) ? [Prompt.textPart({ text: pick(texts) })] : []
    const reasoning = isCurrent && chance(0.6) ? [thought()] : []
    if (calls.length + text.length === 0) return []
    const stored = !isCurrent && chance(0.5) ? { options: { svc: { reasoning: "I thought" } } } : {}
    const answer = Prompt.assistantMessage({ content: [...reasoning, ...text, ...calls], ...stored })
    const between = chance(0.05) ? [user()] : []
    return [answer, ...between, ...toolMessages(calls)]
  }

  const run = (isCurrent: boolean): ReadonlyArray<Prompt.Message> => [
    user(),
    ...times(3, () => turn(isCurrent)).flat(),
    ...(isCurrent || chance(0.2)
      ? []
      : [Prompt.assistantMessage({ content: [Prompt.textPart({ text: pick(texts) })] })])
  ]

  const toolsOf = (): RandomRequest["toolkit"] => {
    if (chance(0.15)) return undefined
    const tools = ["look", "send", "3d_view", "search-all"].filter(() => chance(0.7)).map((name) => {
      const dynamic = Tool.dynamic(name, { description: "Does it", parameters: pick(schemas) })
      return chance(0.3) ? dynamic.annotate(Tool.Strict, true) : dynamic
    })
    if (tools.length === 0) return undefined
    return { ...Toolkit.make(...tools), handle: () => undefined } as never
  }

  return (): RandomRequest => {
    const [greeting] = chance(0.1) ? [Prompt.assistantMessage({ content: [Prompt.textPart({ text: "Hello!" })] })] : []
    const messages = [
      ...(chance(0.6) ? [Prompt.systemMessage({ content: chance(0.1) ? "" : "Be kind." })] : []),
      ...(greeting === undefined ? [] : [greeting]),
      ...times(3, () => run(false)).flat(),
      ...run(true)
    ]
    // the start was left out because of its size
    const kept = chance(0.05) ? messages.slice(2) : messages
    return {
      prompt: Prompt.fromMessages(kept.length === 0 ? [user()] : kept),
      toolkit: toolsOf(),
      toolChoice: pick(["auto", "auto", "none", "required"]),
      format: chance(0.25)
        ? { type: "json", name: answerName, schema: AnswerSchema.wrapped(pick(answers)) }
        : { type: "text" },
      settings: {
        ...(chance(0.4) ? { reasoning: pick(["low", "medium", "high"] as const), maxOutputTokens: 8000 } : {}),
        ...(chance(0.2) ? { temperature: 0.5 } : {})
      }
    }
  }
}
