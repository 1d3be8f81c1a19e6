// The span of one call of a tool, `execute_tool`. Spans that the tool opens are its children.
import type * as Json from "@svc-runtime/domain/Json"
import type { Effect, Exit } from "effect"
import * as Content from "./Content.ts"
import type { OpenSpan } from "./OpenSpan.ts"
import * as Spans from "./Spans.ts"

export interface Call {
  readonly id: string | null
  readonly name: string
  readonly description: string | undefined
  readonly args: Json.Value
  /** How the call ended, for a call that succeeds with its failure as a value. */
  readonly outcome: () => { readonly result: string | null; readonly isError: boolean } | undefined
}

const ended = (span: OpenSpan, end: ReturnType<Call["outcome"]>, hasContent: boolean) => {
  if (end === undefined) return
  if (end.isError) {
    span.set("error.type", "tool_error")
    return span.outcome("ERROR", end.result)
  }
  if (hasContent) span.add(Content.attributesOf("output", end.result))
}

export const around = <A, E, R>(effect: Effect.Effect<A, E, R>, { args, description, id, name, outcome }: Call) =>
  Spans.around(
    effect,
    ({ hasContent }) => ({
      name: `execute_tool ${name}`,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": description,
        "gen_ai.tool.call.id": id,
        "openinference.span.kind": "TOOL",
        "tool.name": name,
        ...(hasContent ? Content.attributesOf("input", args) : {})
      }
    }),
    { close: (span, _: Exit.Exit<A, E>, { hasContent }) => ended(span, outcome(), hasContent) }
  )
