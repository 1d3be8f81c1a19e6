// The prompts that the code of an application uses.
import type { IncludedText } from "@svc-runtime/agents/agent/define/AgentPart"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate, Result } from "effect"
import * as Template from "./Template.ts"

/**
 * Instructions with prompts in them: `{{> tone}}` is the latest version of the prompt `tone`, `{{> tone@3}}` its third
 * one, and `{{> tone brand="Acme"}}` gives it a variable. Other braces are text.
 *
 * Throws an `Error` that says what to do if a `{{>` does not name a prompt.
 *
 * ```ts
 * import { Agent, Prompt } from "@svc-runtime/server"
 *
 * export const desk = Agent.make({
 *   id: "desk",
 *   instructions: Prompt.text("You answer questions about orders.\n{{> tone}}")
 * })
 * ```
 */
export const text = (instructions: string): IncludedText => {
  if (!Predicate.isString(instructions)) throw mismatch("Prompt.text: its text", "a text", instructions)
  const parts = Template.parse(instructions, "instructions")
  if (Result.isFailure(parts)) throw new Mistake(`Prompt.text: ${parts.failure}`)
  return { _tag: "IncludedText", text: instructions }
}

/**
 * The text of one prompt as instructions, with values for its variables. A name such as `tone@3` is one version of it.
 *
 * Throws an `Error` that says what to do if it cannot be the name of a prompt or of a variable.
 *
 * As in `Agent.make({ id: "desk", instructions: Prompt.use("support", { brand: "Acme" }) })`.
 */
export const use = (name: string, variables: Readonly<Record<string, string>> = {}): IncludedText => {
  const given = Object.entries(variables).map(([key, value]) => {
    if (!Template.isVariable(key)) throw new Mistake(`Prompt.use: '${key}' cannot be the name of a variable`)
    if (!Predicate.isString(value)) throw mismatch(`Prompt.use: the variable '${key}'`, "a text", value)
    return ` ${key}=${JSON.stringify(value)}`
  })
  return text(`{{> ${name}${given.join("")}}}`)
}
