// Which learnings belong to a run: the records of its user and session, by their ids, and those of its namespace.
import { Option } from "effect"
import * as Learning from "./Learning.ts"
import type * as LearningShape from "./LearningShape.ts"
import type { LearningScope } from "./LearningStore.ts"

const identified: ReadonlyArray<LearningShape.Type> = ["user_profile", "user_memory", "session_context"]

/** Whether learnings of the type are found by their namespace. */
export const isOfNamespace = (type: LearningShape.Type): boolean => !identified.includes(type)

/** The ids of the records that a run has by itself. */
export const identifiedIds = (
  { session_id, types, user_id }: Pick<LearningScope, "session_id" | "types" | "user_id">
): ReadonlyArray<Learning.Id> =>
  types.flatMap((learning_type) => {
    const identity = { learning_type, user_id, session_id }
    return isOfNamespace(learning_type) || Learning.missingFields(identity).length > 0
      ? []
      : Option.toArray(Learning.idOf(identity))
  })
