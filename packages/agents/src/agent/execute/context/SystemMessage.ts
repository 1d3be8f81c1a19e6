// The system message of an agent's settings. An agent without settings has none.
import type * as Json from "@svc-runtime/domain/Json"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Clock, Effect, type JsonSchema, Predicate } from "effect"
import type { Agent } from "../../define/Agent.ts"

interface Additions {
  /** What the knowledge of the agent has about the message. */
  readonly knowledge: string | undefined
  /** Shown if the run requests it. */
  readonly sessionState: Json.Object | undefined
  /** The schema of the answer, for models without structured output. */
  readonly outputSchema: JsonSchema.JsonSchema | undefined
}

const block = (name: string, text: string) => `<${name}>\n${text}\n</${name}>`
const list = (items: ReadonlyArray<string>) => items.map((item) => `- ${item}`).join("\n")

const isText = (value: unknown): value is string | ReadonlyArray<string> | undefined =>
  value === undefined || Predicate.isString(value) || (Array.isArray(value) && value.every(Predicate.isString))

const instructionsOf = Effect.fnUntraced(function*(agent: Agent, context: RunContext) {
  const { instructions } = agent
  // The caller cannot act on errors of these functions: the run fails unexpectedly.
  const text = typeof instructions === "function"
    ? yield* Effect.orDie(UserCode.call(() => instructions(context)))
    : instructions
  if (!isText(text)) {
    return yield* Effect.die(new UserCode.UserError({ cause: new TypeError("The instructions are no text") }))
  }
  if (text === undefined || text.length === 0) return undefined
  return typeof text === "string" ? text : block("instructions", list(text))
})

const formatNow = (millis: number, timeZone: string) =>
  `${new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone }).format(millis)} (${timeZone})`

const additionalInformation = Effect.fnUntraced(function*(agent: Agent) {
  const lines: Array<string> = []
  if (agent.markdown) lines.push("Write your answers in Markdown.")
  if (agent.addDatetimeToContext) {
    lines.push(`The time is ${formatNow(yield* Clock.currentTimeMillis, agent.timezone)}.`)
  }
  if (agent.addNameToContext) lines.push(`Your name is ${agent.name}.`)
  return lines.length === 0 ? undefined : block("additional_information", list(lines))
})

export const make = Effect.fnUntraced(function*(agent: Agent, context: RunContext, additions: Additions) {
  const { knowledge, outputSchema, sessionState } = additions
  if (agent.systemMessage !== undefined) {
    return knowledge === undefined ? agent.systemMessage : `${agent.systemMessage}\n\n${knowledge}`
  }
  if (!agent.buildContext) return undefined
  const head = [
    agent.description,
    agent.role === undefined ? undefined : block("your_role", agent.role),
    yield* instructionsOf(agent, context)
  ].filter((text) => text !== undefined).join("\n")
  const sections = [
    head === "" ? undefined : head,
    yield* additionalInformation(agent),
    agent.expectedOutput === undefined ? undefined : block("expected_output", agent.expectedOutput),
    agent.additionalContext,
    knowledge,
    sessionState === undefined ? undefined : block("session_state", JSON.stringify(sessionState)),
    outputSchema === undefined
      ? undefined
      : `Answer with nothing but JSON that fits this JSON Schema:\n${
        block("json_schema", JSON.stringify(outputSchema))
      }`
  ].filter((text) => text !== undefined)
  return sections.length === 0 ? undefined : sections.join("\n\n")
})
