// `LearningStore` in memory.
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Sort from "@svc-runtime/domain/Sort"
import { admit } from "@svc-runtime/engine/limits/ResponseLimit"
import type { Limits } from "@svc-runtime/engine/limits/StoreLimits"
import * as Learning from "@svc-runtime/features/learning/Learning"
import { LearningExists, LearningNotFound, TooManyLearnings } from "@svc-runtime/features/learning/LearningErrors"
import { columnOf, filterable, type LearningFilter } from "@svc-runtime/features/learning/LearningFilter"
import { namespaceLimit, relevantLimits } from "@svc-runtime/features/learning/LearningLimit"
import { identifiedIds, isOfNamespace } from "@svc-runtime/features/learning/LearningStatements"
import type { LearningScope, LearningStore, LearningUpdate } from "@svc-runtime/features/learning/LearningStore"
import { Effect, Option } from "effect"
import { isErasedIn, isLeasedIn } from "./changeSource.ts"
import type { MemoryDatabase, StoredLearning } from "./MemoryDatabase.ts"

const matches = ({ fields, includesShared, isProposed, owner }: LearningFilter) => ({ learning }: StoredLearning) =>
  (isProposed === undefined || isProposed === Learning.isProposed(learning)) &&
  (includesShared ? Owner.reads(owner, learning.user_id) : Owner.covers(owner, learning.user_id)) &&
  filterable.every((field) => fields[field] === undefined || fields[field] === learning[field])

const isUsable = ({ namespace, owner, session_id, types, user_id }: LearningScope) => {
  const identified = new Set(identifiedIds({ session_id, types, user_id }))
  return ({ learning }: StoredLearning): boolean =>
    !Learning.isProposed(learning) && (identified.has(learning.learning_id)
      ? learning.user_id === (user_id ?? null)
      : Learning.isIn(namespace, learning) && learning.user_id === owner &&
        types.filter(isOfNamespace).some((type) => type === learning.learning_type))
}

const sizeOf = ({ learning: { content, metadata } }: StoredLearning): number =>
  JSON.stringify(content).length + JSON.stringify(metadata).length

export const make = (database: MemoryDatabase["Service"], responseLimit: number, limits: Limits["learnings"]) => {
  const { learningKeys, learnings, next } = database

  const find = (id: Learning.Id, isFound: (learning: Learning.Learning) => boolean) =>
    Option.fromNullishOr(learnings.get(id)).pipe(Option.filter(({ learning }) => isFound(learning)))

  const covered = (learning_id: Learning.Id, owner: Owner.Owner) =>
    Option.match(find(learning_id, ({ user_id }) => Owner.covers(owner, user_id)), {
      onNone: () => Effect.fail(new LearningNotFound({ learning_id })),
      onSome: Effect.succeed
    })

  const isOf =
    (user_id: Ids.UserId, learning_type: string | undefined) => ({ learning, proposed_by }: StoredLearning) =>
      (learning.user_id === user_id || proposed_by === user_id) &&
      (learning_type === undefined || learning.learning_type === learning_type)

  const countOf = (isCounted: (stored: StoredLearning) => boolean) => [...learnings.values()].filter(isCounted).length

  /** The limit that one more learning exceeds. */
  const exceeded = ({ user_id }: Learning.Learning, proposer: Ids.UserId | null) => {
    if (user_id !== null) {
      return countOf(({ learning }) => learning.user_id === user_id) < limits.perUser
        ? undefined
        : new TooManyLearnings({ user_id, limit: limits.perUser, isProposed: false })
    }
    return proposer === null || countOf(({ proposed_by }) => proposed_by === proposer) < limits.proposedPerUser
      ? undefined
      : new TooManyLearnings({ user_id: proposer, limit: limits.proposedPerUser, isProposed: true })
  }

  const store = ({ namespace, owner, user_id }: LearningUpdate, learning: Learning.Learning): boolean => {
    const known = learnings.get(learning.learning_id)
    if (known !== undefined && known.learning.user_id !== learning.user_id) return false
    const isAlike = (other: Learning.Learning) =>
      Learning.isIn(namespace, other) && other.user_id === owner &&
      Learning.isProposed(other) === Learning.isProposed(learning)
    if (known !== undefined) {
      learnings.set(learning.learning_id, { ...known, learning })
      return true
    }
    if (isAlike(learning) && countOf((one) => isAlike(one.learning)) >= namespaceLimit) return false
    const proposed_by = Learning.proposerOf(learning, user_id)
    if (exceeded(learning, proposed_by) !== undefined) return false
    learnings.set(learning.learning_id, { sequence: next(), learning, proposed_by })
    return true
  }

  return {
    create: (learning, by) =>
      Effect.suspend((): ReturnType<LearningStore["Service"]["create"]> => {
        const { learning_id, learning_type } = learning
        if (learnings.has(learning_id)) return Effect.fail(new LearningExists({ learning_id, learning_type }))
        const proposed_by = Learning.proposerOf(learning, by)
        const tooMany = exceeded(learning, proposed_by)
        if (tooMany !== undefined) return Effect.fail(tooMany)
        learnings.set(learning_id, { sequence: next(), learning, proposed_by })
        return Effect.void
      }),
    find: (id, owner) =>
      Effect.sync(() => Option.map(find(id, ({ user_id }) => Owner.reads(owner, user_id)), ({ learning }) => learning)),
    list: (filter, page, sort) =>
      Effect.suspend(() => {
        const { by, order } = columnOf(sort)
        const compare = Sort.compare<StoredLearning>(order, ({ learning }) => learning[by], ({ sequence }) => sequence)
        const found = [...learnings.values()].filter(matches(filter)).sort(compare)
        const listed = Pagination.slice(page, found)
        const bytes = listed.map(sizeOf).reduce((sum, size) => sum + size, 0)
        return Effect.as(admit("learnings", bytes, responseLimit), {
          learnings: listed.map(({ learning }) => learning),
          total: found.length
        })
      }),
    update: (id, owner, { content, metadata, updated_at }) =>
      Effect.map(Effect.suspend(() => covered(id, owner)), ({ learning, proposed_by, sequence }) => {
        const changed = {
          ...learning,
          ...(content === undefined ? {} : { content }),
          ...(metadata === undefined ? {} : { metadata }),
          updated_at
        }
        learnings.set(id, { sequence, learning: changed, proposed_by: Learning.proposerOf(changed, proposed_by) })
        return changed
      }),
    remove: (id, owner) =>
      Effect.map(Effect.suspend(() => covered(id, owner)), () => {
        learnings.delete(id)
      }),
    listUsers: ({ learning_type, owner }, page, { by, order }) =>
      Effect.sync(() => {
        const last = new Map<Ids.UserId, number>()
        for (const { learning: { learning_type: type, updated_at, user_id } } of learnings.values()) {
          if (user_id === null || !Owner.covers(owner, user_id)) continue
          if (learning_type !== undefined && type !== learning_type) continue
          last.set(user_id, Math.max(last.get(user_id) ?? 0, updated_at))
        }
        const direction = order === "asc" ? 1 : -1
        const users = [...last]
          .map(([user_id, last_learning_updated_at]) => ({ user_id, last_learning_updated_at }))
          .sort((a, b) =>
            direction * ((by === "user_id" ? 0 : a.last_learning_updated_at - b.last_learning_updated_at) ||
              (a.user_id < b.user_id ? -1 : 1))
          )
        return { users: Pagination.slice(page, users), total: users.length }
      }),
    removeOf: (user_id, learning_type) =>
      Effect.sync(() => {
        const doomed = [...learnings.values()].filter(isOf(user_id, learning_type))
        for (const { learning } of doomed) learnings.delete(learning.learning_id)
        return doomed.length
      }),
    relevant: (scope) =>
      Effect.sync(() => {
        const identified = new Set(identifiedIds(scope))
        const partOf = ({ learning }: StoredLearning) => Number(!identified.has(learning.learning_id))
        const found = [...learnings.values()].filter(isUsable(scope)).sort((a, b) =>
          partOf(a) - partOf(b) ||
          b.learning.updated_at - a.learning.updated_at || b.sequence - a.sequence
        )
        let bytes = 0
        return found.slice(0, relevantLimits.learnings)
          .filter((one) => (bytes += sizeOf(one)) <= relevantLimits.bytes)
          .map(({ learning }) => learning)
      }),
    apply: (update) =>
      Effect.sync(() => {
        const isErased = isErasedIn(database, update.user_id ?? null, update)
        if (isErased || !isLeasedIn(database, update) || learningKeys.has(update.key)) {
          return { isNew: false, isErased, refused: 0 }
        }
        learningKeys.set(update.key, update.session_id)
        const owners: ReadonlyArray<Ids.UserId | null> = [update.user_id ?? null, update.owner]
        const found = update.ids.flatMap((id) => learnings.get(id)?.learning ?? [])
          .filter(({ user_id }) => owners.includes(user_id))
        const changed = update.change(new Map(found.map((one) => [one.learning_id, one])))
        return { isNew: true, isErased, refused: changed.filter((one) => !store(update, one)).length }
      })
  } satisfies LearningStore["Service"]
}
