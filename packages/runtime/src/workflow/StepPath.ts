// Where in its tree a step is: what it is journalled under, and what it is called in events.
import type { StepRequirement, WorkflowEvent } from "@svc/domain"

export interface StepPath {
  readonly key: string
  /** As the key, without rounds and attempts: the same for everything that is one step in the tree. */
  readonly path: string
  readonly index: StepRequirement.StepIndex
  /** The id of the step that it is in. */
  readonly parent: string | undefined
}

const within = (index: StepRequirement.StepIndex, child: number): StepRequirement.StepIndex =>
  typeof index === "number" ? [index, child] : [...index, child]

export interface Inside {
  /** Between the key of the step and that of its child: a round, a branch. */
  readonly section?: string
  readonly branch?: string
  readonly index?: StepRequirement.StepIndex
}

export const top = (index: number, parent?: string): StepPath => ({ key: `${index}`, path: `${index}`, index, parent })

/** The place of a child. */
export const inside = (place: StepPath, parent: string, child: number, options: Inside = {}): StepPath => {
  const { branch = "", index = within(place.index, child), section = "" } = options
  return {
    key: `${place.key}/${branch}${section}${child}`,
    path: `${place.path}/${branch}${child}`,
    index,
    parent
  }
}

export const fieldsOf = (
  place: StepPath,
  step: { readonly step_id: string; readonly step_name: string }
): Required<Pick<WorkflowEvent.Payload, "step_id" | "step_name" | "step_index">> & {
  readonly parent_step_id?: string
} => ({
  ...step,
  step_index: place.index,
  ...(place.parent === undefined ? {} : { parent_step_id: place.parent })
})
