// Constructors of step outputs.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import * as StepKey from "./StepKey.ts"
import type { StepAt } from "./WorkflowExecution.ts"
import type * as WorkflowJournal from "./WorkflowJournal.ts"

/** `str` for text, else the name of the JSON type. */
export const contentTypeOf = (content: Json.Value): string => {
  if (typeof content !== "object" || content === null) return "str"
  return Array.isArray(content) ? "list" : "dict"
}

/** The output of a successful step with this content. */
export const done = (
  { execution, node, place }: StepAt,
  fields: Partial<StepOutput.StepOutput> & Pick<StepOutput.StepOutput, "content">
): StepOutput.StepOutput => ({
  step_name: node.name,
  step_id: execution.idOf(place.path),
  step_type: node.type,
  executor_type: null,
  executor_name: null,
  step_run_id: null,
  images: null,
  videos: null,
  audio: null,
  files: null,
  metrics: null,
  success: true,
  error: null,
  stop: false,
  is_paused: false,
  ...fields
})

const whyLeftOut = ({ confirmed, late, rejection_feedback }: WorkflowJournal.Decision): string | undefined => {
  if (late === "skip") return "it was not decided in time"
  if (confirmed !== false) return undefined
  const note = rejection_feedback ?? ""
  return `a person rejected it${note === "" ? "" : `: ${note}`}`
}

/** Why the step was left out, if a person or a late decision has done it. */
export const leftOut = ({ execution: { journal }, place }: StepAt): string | undefined => {
  const last = journal.asked().findLast(([key]) => StepKey.withoutRepetition(StepKey.ofEntry(key)) === place.key)
  const decision = last === undefined ? undefined : journal.decisionOf(last[0])
  const why = decision === undefined ? undefined : whyLeftOut(decision)
  return why === undefined ? undefined : `Step skipped, because ${why}`
}

/** How many left out steps of a container are named. */
const maxNamed = 100

const itemIn = ({ node, place }: StepAt, key: string): string => {
  const number = /^\/#(\d+)\//.exec(key.slice(place.key.length))?.[1]
  return number === undefined ? "Step" : `${node.type === "ForEach" ? "Item" : "Iteration"} ${number}: step`
}

/** The steps inside of a step that people have left out: they are not in its content. */
export const leftOutIn = (at: StepAt): string | null => {
  const { execution: { journal }, place } = at
  const found = new Map<string, string>()
  for (const [key, { step_name }] of journal.asked()) {
    const step = StepKey.withoutRepetition(StepKey.ofEntry(key))
    const decision = journal.decisionOf(key)
    if (decision === undefined || !step.startsWith(`${place.key}/`) || journal.finished(step)?.output !== null) continue
    const why = whyLeftOut(decision)
    if (why !== undefined) found.set(step, `${itemIn(at, step)} '${step_name}' skipped, because ${why}`)
  }
  const lines = [...found.values()]
  const more = lines.length > maxNamed ? [`${lines.length - maxNamed} more were skipped`] : []
  return lines.length === 0 ? null : [...lines.slice(0, maxNamed), ...more].join("\n")
}

/** The output of a container. */
export const container = (
  at: StepAt,
  content: Json.Value,
  steps: ReadonlyArray<StepOutput.StepOutput>
): StepOutput.StepOutput => {
  const error = leftOutIn(at)
  return done(at, {
    content,
    success: error === null && steps.every(({ success }) => success),
    error,
    stop: steps.some(({ stop }) => stop),
    ...(steps.length === 0 ? {} : { steps })
  })
}

/** The output of a container without a value of its own: if people have left out all of its steps, it says so. */
export const summary = (
  at: StepAt,
  content: string,
  steps: ReadonlyArray<StepOutput.StepOutput>
): StepOutput.StepOutput => {
  const output = container(at, content, steps)
  return steps.length > 0 ? output : { ...output, content: output.error ?? content }
}
