// `FeedbackStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { storableText } from "@svc-runtime/domain/storableText"
import * as Feedback from "@svc-runtime/features/feedback/Feedback"
import { type FeedbackFilter, FeedbackFull, type FeedbackStore } from "@svc-runtime/features/feedback/FeedbackStore"
import { Effect, Option } from "effect"
import type { MemoryDatabase, StoredFeedback } from "./MemoryDatabase.ts"

const matches =
  ({ component, key, owner, run_id, session_id, source }: FeedbackFilter) =>
  ({ feedback, owner: user }: StoredFeedback): boolean =>
    Owner.coversIn(owner, { user_id: user, session_id: feedback.session_id }) &&
    (run_id === undefined || feedback.run_id === run_id) &&
    (session_id === undefined || feedback.session_id === session_id) &&
    (key === undefined || feedback.key === key) &&
    (source === undefined || feedback.source === source) &&
    (component === undefined || (feedback.kind === component.kind && feedback.component_id === component.id))

export const make = (
  { feedback: all, next, runs, sessions }: MemoryDatabase["Service"]
): FeedbackStore["Service"] => {
  const runOf = (run_id: Run.Id, owner: Owner.Owner) => {
    const run = runs.get(run_id)
    const session = run === undefined ? undefined : sessions.get(Session.Id.make(run.output.session_id))?.session
    return run === undefined || session === undefined || !Owner.coversIn(owner, session)
      ? undefined
      : { run, session }
  }
  const ofRun = (run_id: Run.Id) => [...all.values()].filter(({ feedback }) => feedback.run_id === run_id)
  return {
    put: ({ at, ...given }, owner) =>
      Effect.suspend(() => {
        const found = runOf(given.run_id, owner)
        if (found === undefined) return Effect.succeed(Option.none())
        const others = ofRun(given.run_id)
        const same = others.find(({ feedback: { key, source, user_id } }) =>
          key === given.key && source === given.source && user_id === given.user_id
        )
        if (same === undefined && others.length >= Feedback.maxPerRun) return Effect.fail(new FeedbackFull())
        const feedback: Feedback.Stored = {
          ...given,
          comment: given.comment === null ? null : storableText(given.comment),
          id: same?.feedback.id ?? given.id,
          session_id: found.session.session_id,
          kind: found.run.kind,
          component_id: found.run.component_id,
          created_at: same?.feedback.created_at ?? at,
          updated_at: at
        }
        all.set(feedback.id, { sequence: same?.sequence ?? next(), owner: found.session.user_id, feedback })
        return Effect.succeedSome(feedback)
      }),
    ofRun: (run_id, owner) =>
      Effect.sync(() =>
        runOf(run_id, owner) === undefined ? Option.none() : Option.some(ofRun(run_id).map(({ feedback }) => feedback))
      ),
    list: (filter, page) =>
      Effect.sync(() => {
        const found = [...all.values()].filter(matches(filter)).sort((one, other) => other.sequence - one.sequence)
        return { feedback: Pagination.slice(page, found).map(({ feedback }) => feedback), total: found.length }
      }),
    remove: (id, owner) =>
      Effect.sync(() => {
        const found = all.get(id)
        return found !== undefined && matches({ owner })(found) && all.delete(id)
      }),
    removeOf: (user_id) =>
      Effect.sync(() => {
        const found = [...all.values()].filter(({ feedback }) => feedback.user_id === user_id)
        for (const { feedback: { id } } of found) all.delete(id)
        return found.length
      })
  }
}
