// What a new run assumes about a stored component, because it was so when this node last read it. It is
// checked in the statement that stores the run, so that a run costs no extra statement.
import type * as Component from "@svc-runtime/domain/Component"

type Head = Pick<Component.Stored, "component_type" | "current_version" | "name">

export interface Assumption {
  readonly id: string
  readonly name: string
  /** The current version, which the run executes. Null: the version is linked, and only the name can change. */
  readonly current: Pick<Head, "component_type" | "current_version"> | null
}

/** `head`: undefined if the component is removed. */
export const holds = ({ current, name }: Assumption, head: Head | undefined): boolean => {
  // the name of a removed component does not change
  if (head === undefined) return current === null
  return head.name === name && (current === null ||
    (head.component_type === current.component_type && head.current_version === current.current_version))
}
