// The path of a step in its tree: its journal key and its names in events.
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as WorkflowEvent from "@svc-runtime/domain/WorkflowEvent"
import * as StepKey from "./StepKey.ts"

export interface StepPath {
  readonly key: string
  /** The key without iterations and attempts: one per step of the tree, and per item of a list. */
  readonly path: string
  readonly index: StepRequirement.StepIndex
  /** The id of the containing step. */
  readonly parent: string | undefined
}

const within = (index: StepRequirement.StepIndex, child: number): StepRequirement.StepIndex =>
  typeof index === "number" ? [index, child] : [...index, child]

export interface ChildOptions extends StepKey.Section {
  readonly index?: StepRequirement.StepIndex
}

/** The path of a step of a workflow: the outermost, or the one with this key prefix. */
export const top = (index: number, parent?: string, prefix = StepKey.outermost): StepPath => ({
  key: StepKey.step(prefix, index),
  path: StepKey.step(StepKey.outermost, index),
  index,
  parent
})

/** The path of an item of a list. */
export const item = (place: StepPath, number: number): StepPath => ({
  ...place,
  path: StepKey.iteration(place.path, number),
  index: within(place.index, number - 1)
})

export const childPath = (place: StepPath, parent: string, child: number, options: ChildOptions = {}): StepPath => {
  const around = options.item === undefined ? place.index : within(place.index, options.item - 1)
  const { index = within(around, child) } = options
  return {
    key: StepKey.child(place.key, child, options),
    path: StepKey.pathOfChild(place.path, child, options),
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
