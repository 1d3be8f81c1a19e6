// Instructions that include prompts, as agents have them.
import type { IncludedText } from "@svc-runtime/agents/agent/define/AgentPart"
import { Predicate } from "effect"

export type Text = IncludedText["text"]

/** What a text has if it includes a prompt. */
export const sign = "{{>"

export const is = (value: unknown): value is IncludedText => Predicate.isTagged(value, "IncludedText")

export const isText = (value: unknown): value is Text =>
  Predicate.isString(value) || (Array.isArray(value) && value.every(Predicate.isString))

export const whole = (text: Text): string => Predicate.isString(text) ? text : text.join("\n")

/** The instructions of a config: with a sign, they include prompts. */
export const ofConfig = <A extends Text | null | undefined>(text: A): A | IncludedText =>
  text !== null && text !== undefined && whole(text).includes(sign) ? { _tag: "IncludedText", text } : text
