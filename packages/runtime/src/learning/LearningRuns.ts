// Whose learnings a run reads and writes: those of its own user, session and namespace, whatever the model asks for.
import * as Learning from "@svc/domain/Learning"
import * as LearningChange from "@svc/domain/LearningChange"
import type * as Time from "@svc/domain/Time"
import { Option, Result } from "effect"
import type { ChangeSource } from "../memory/ChangeSource.ts"
import type { RunContext } from "../tool/RunContext.ts"
import type * as LearningOption from "./LearningOption.ts"
import type { LearningScope, LearningUpdate } from "./LearningStore.ts"

type Run = Pick<RunContext, "agentId" | "sessionId" | "userId">

/** The namespace of a run. None: it is that of a user, and the run has none. */
const namespaceOf = (
  { namespace }: LearningOption.Learning,
  { userId }: Run
): Option.Option<Pick<LearningScope, "namespace" | "owner">> => {
  if (namespace !== "user") return Option.some({ namespace, owner: null })
  return userId === undefined ? Option.none() : Option.some({ namespace: Learning.namespaceOf(userId), owner: userId })
}

export const scopeOf = (learning: LearningOption.Learning, run: Run): Option.Option<LearningScope> =>
  Option.map(namespaceOf(learning, run), (space) => ({
    ...space,
    user_id: run.userId,
    session_id: run.sessionId,
    types: learning.types
  }))

export interface Update extends LearningUpdate {
  /** Set by `change`: why there is nothing to store. */
  readonly refusal: () => string | undefined
}

export interface Occasion extends Pick<ChangeSource, "key" | "lease" | "root_run_id"> {
  readonly at: Time.EpochSeconds
  readonly newId: () => string
}

/** The update that a change of the model makes. Fails with a text for the model. */
export const updateOf = (
  learning: LearningOption.Learning,
  run: Run,
  change: LearningChange.Change,
  { at, newId, ...source }: Occasion
): Result.Result<Update, string> => {
  const space = namespaceOf(learning, run)
  if (Option.isNone(space)) return Result.fail("This run has no user, so nothing is learned.")
  const subject: LearningChange.Subject = {
    ...space.value,
    user_id: run.userId,
    session_id: run.sessionId,
    agent_id: run.agentId,
    at,
    newId
  }
  return Result.map(LearningChange.idOf(change, subject), (id) => {
    let refusal: string | undefined
    return {
      ...space.value,
      ...source,
      user_id: run.userId,
      session_id: run.sessionId,
      ids: Option.toArray(id),
      refusal: () => refusal,
      change: (found) => {
        const known = Option.getOrUndefined(Option.flatMap(id, (at) => Option.fromNullishOr(found.get(at))))
        const changed = LearningChange.apply(change, known, subject)
        refusal = Result.isFailure(changed) ? changed.failure : undefined
        if (Result.isFailure(changed)) return []
        const { metadata } = changed.success
        return [
          learning.mode === "propose"
            ? { ...changed.success, metadata: Learning.asProposed(metadata) }
            : changed.success
        ]
      }
    }
  })
}
