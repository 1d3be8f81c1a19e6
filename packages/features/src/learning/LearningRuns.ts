// Whose learnings a run reads and writes: those of its own user, session and namespace, whatever the model asks for.
import type * as Time from "@svc-runtime/domain/Time"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import { Option, Result } from "effect"
import type { ChangeSource } from "../memory/ChangeSource.ts"
import * as Learning from "./Learning.ts"
import * as LearningChange from "./LearningChange.ts"
import type * as LearningOption from "./LearningOption.ts"
import type * as LearningShape from "./LearningShape.ts"
import type { LearningScope, LearningUpdate } from "./LearningStore.ts"

type Run = Pick<RunContext, "sessionId" | "userId">

/** The namespace of a run. None: it is that of a user, and the run has none. */
const namespaceOf = (
  { namespace }: LearningOption.Reach,
  { userId }: Run
): Option.Option<Pick<LearningScope, "namespace" | "owner">> => {
  if (namespace !== "user") return Option.some({ namespace, owner: null })
  return userId === undefined ? Option.none() : Option.some({ namespace: Learning.namespaceOf(userId), owner: userId })
}

export const scopeOf = (learning: LearningOption.Reach, run: Run): Option.Option<LearningScope> =>
  Option.map(namespaceOf(learning, run), (space) => ({
    ...space,
    user_id: run.userId,
    session_id: run.sessionId,
    types: learning.types
  }))

export interface Update extends LearningUpdate {
  /** Set by `change`: why changes are not stored. */
  readonly refusals: () => ReadonlyArray<string>
}

/** The agent, or the team, that learns. */
export interface Author {
  readonly agent_id: string | null
  readonly team_id: string | null
}

export const authorOf = (id: string, isLeader: boolean): Author =>
  isLeader ? { agent_id: null, team_id: id } : { agent_id: id, team_id: null }

export interface Occasion extends Author, Pick<ChangeSource, "key" | "lease" | "root_run_id"> {
  readonly at: Time.EpochSeconds
  readonly newId: () => string
}

/** The learnings after the changes, each once. A change sees what the changes before it have made. */
const changed = (
  changes: ReadonlyArray<LearningShape.Change>,
  found: ReadonlyMap<Learning.Id, Learning.Learning>,
  { isProposed, subject }: { readonly isProposed: boolean; readonly subject: LearningChange.Subject }
) => {
  const known = new Map(found)
  const stored = new Map<Learning.Id, Learning.Learning>()
  const refusals: Array<string> = []
  for (const change of changes) {
    if (isProposed && change.type === "decision_log" && (change.value.id ?? "") !== "") {
      refusals.push("A stored decision is changed by a person. Propose a new one without an id.")
      continue
    }
    const made = Result.flatMap(
      LearningChange.idOf(change, subject),
      (id) => LearningChange.apply(change, Option.getOrUndefined(Option.map(id, (at) => known.get(at))), subject)
    )
    if (Result.isFailure(made)) refusals.push(made.failure)
    else {
      known.set(made.success.learning_id, made.success)
      stored.set(made.success.learning_id, made.success)
    }
  }
  return { refusals, stored: [...stored.values()] }
}

/** The update that changes of a model make. Fails with a text for the model. */
export const updateOf = (
  learning: LearningOption.Reach,
  run: Run,
  changes: ReadonlyArray<LearningShape.Change>,
  { agent_id, at, newId, team_id, ...source }: Occasion
): Result.Result<Update, string> => {
  const space = namespaceOf(learning, run)
  if (Option.isNone(space)) return Result.fail("This run has no user, so nothing is learned.")
  const subject: LearningChange.Subject = {
    ...space.value,
    user_id: run.userId,
    session_id: run.sessionId,
    agent_id,
    team_id,
    at,
    newId
  }
  let refusals: ReadonlyArray<string> = []
  return Result.succeed({
    ...space.value,
    ...source,
    user_id: run.userId,
    session_id: run.sessionId,
    ids: changes.flatMap((change) => {
      const id = LearningChange.idOf(change, subject)
      return Result.isSuccess(id) ? Option.toArray(id.success) : []
    }),
    refusals: () => refusals,
    change: (found) => {
      const made = changed(changes, found, { isProposed: learning.isProposed, subject })
      refusals = made.refusals
      return learning.isProposed
        ? made.stored.map((one) => ({ ...one, metadata: Learning.asProposed(one.metadata) }))
        : made.stored
    }
  })
}
