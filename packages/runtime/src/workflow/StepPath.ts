// The path of a step in its tree: its journal key and its names in events.
import type { StepRequirement, WorkflowEvent } from "@svc/domain"

export interface StepPath {
  readonly key: string
  /** The key without iterations and attempts: one per step of the tree. */
  readonly path: string
  readonly index: StepRequirement.StepIndex
  /** The id of the containing step. */
  readonly parent: string | undefined
}

const within = (index: StepRequirement.StepIndex, child: number): StepRequirement.StepIndex =>
  typeof index === "number" ? [index, child] : [...index, child]

export interface Inside {
  /** Between the keys of a step and its child: an iteration, a branch. */
  readonly section?: string
  readonly branch?: string
  readonly index?: StepRequirement.StepIndex
}

export const top = (index: number, parent?: string): StepPath => ({ key: `${index}`, path: `${index}`, index, parent })

/** The path of a child. */
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
