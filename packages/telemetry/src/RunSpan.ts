// The span of a run: `invoke_agent` of agents and teams, `invoke_workflow` of workflows. Of a team, its leader has none
// of its own. It has no tokens: backends add up those of all spans, and the requests to models have them.
import type * as AnyRun from "@svc/domain/AnyRun"
import * as ComponentKind from "@svc/domain/ComponentKind"
import type * as Json from "@svc/domain/Json"
import { type Effect, type Exit, Option } from "effect"
import * as Content from "./Content.ts"
import type { OpenSpan } from "./OpenSpan.ts"
import * as Spans from "./Spans.ts"

export interface Subject {
  readonly component: { readonly kind: ComponentKind.ComponentKind; readonly id: string; readonly name: string }
  readonly run_id: string
  readonly session_id: string
  readonly user_id: string | undefined
  readonly attempt: number
  readonly input: Json.Value
  readonly attributes?: Readonly<Record<string, unknown>> | undefined
}

/** How runs end, as the engine stores it. None: it continues elsewhere. */
type Result = Option.Option<{ readonly output: AnyRun.Output }>

const attributesOf = (subject: Subject, hasContent: boolean) => {
  const { attempt, attributes, component: { id, kind, name }, input, run_id, session_id, user_id } = subject
  const isWorkflow = kind === "workflow"
  return {
    "gen_ai.operation.name": isWorkflow ? "invoke_workflow" : "invoke_agent",
    [isWorkflow ? "gen_ai.workflow.name" : "gen_ai.agent.name"]: name,
    "gen_ai.conversation.id": session_id,
    "openinference.span.kind": isWorkflow ? "CHAIN" : "AGENT",
    "session.id": session_id,
    "user.id": user_id,
    "svc.run.id": run_id,
    "svc.session.id": session_id,
    "svc.attempt": attempt,
    [`svc.${kind}.id`]: id,
    ...attributes,
    ...(hasContent ? Content.attributesOf("input", input) : {})
  }
}

const textOfError = ({ content }: AnyRun.Output): string => Content.textOf(content ?? "The run failed")

const ended = (span: OpenSpan, output: AnyRun.Output, hasContent: boolean) => {
  span.attribute("svc.run.status", output.status)
  if (output.status === "ERROR") {
    span.attribute("error.type", "run_error")
    return span.outcome("ERROR", textOfError(output))
  }
  if (output.status !== "COMPLETED") return span.outcome("UNSET")
  if (!hasContent) return
  for (const [name, text] of Object.entries(Content.attributesOf("output", output.content))) {
    span.attribute(name, text)
  }
}

export const around = <A extends Result, E, R>(effect: Effect.Effect<A, E, R>, subject: Subject) => {
  const { component: { id, kind }, run_id, session_id, user_id = null } = subject
  return Spans.around(
    effect,
    ({ hasContent }) => ({
      name: `${kind === "workflow" ? "invoke_workflow" : "invoke_agent"} ${id}`,
      run: { run_id, session_id, user_id, ...ComponentKind.idsOf(kind, id) },
      attributes: attributesOf(subject, hasContent)
    }),
    (span, exit: Exit.Exit<A, E>, { hasContent }) => {
      if (exit._tag === "Failure") return
      if (Option.isNone(exit.value)) {
        span.attribute("svc.handed_over", true)
        span.outcome("UNSET")
      } else ended(span, exit.value.value.output, hasContent)
    }
  )
}
