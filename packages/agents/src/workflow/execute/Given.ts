// What a step gets from the step before it.
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as StepOutput from "@svc-runtime/domain/StepOutput"

export interface Given {
  /** For functions and workflows. */
  readonly value: Json.Value
  /**
   * For agents, and for people who decide on the step: a parallel step is a text for them, and a list is followed by
   * what was rejected.
   */
  readonly content: Json.Value
  /** What has given it, for messages. */
  readonly by: string
}

export const itself = (value: Json.Value, by: string): Given => ({ value, content: value, by })

/** A failed step has its reason. The content of a list has nothing of what people have left out. */
export const textOf = ({ content, error, executor_type, step_type: type }: StepOutput.StepOutput): string => {
  if (error === null || type === "Parallel" || content === error) return Run.textOf(content)
  return type === "Step" && executor_type !== "workflow" ? error : `${Run.textOf(content)}\n\n${error}`
}

export const of = (output: StepOutput.StepOutput): Given => {
  const deepest = StepOutput.deepest(output)
  const isList = deepest.step_type === "ForEach" && deepest.error !== null
  return {
    value: StepOutput.valueOf(output),
    content: isList ? textOf(deepest) : deepest.content,
    by: `step '${output.step_name}'`
  }
}
