// The job that measures the versions of rollouts, and takes the share of a version that is beyond a limit.
import * as Owner from "@svc-runtime/domain/Owner"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option } from "effect"
import { AuditStore } from "../audit/AuditStore.ts"
import { FeedbackStore } from "../feedback/FeedbackStore.ts"
import * as GuardRules from "./GuardRules.ts"
import * as Rollout from "./Rollout.ts"
import { Rollouts } from "./Rollouts.ts"
import { RolloutStore } from "./RolloutStore.ts"
import * as VersionFigures from "./VersionFigures.ts"

/** Between two looks at all versions. */
export const every = "30 seconds"

export const make = Effect.gen(function*() {
  const [store, rollouts] = [yield* RolloutStore, yield* Rollouts]
  const hasFeedback = Option.isSome(yield* Effect.serviceOption(FeedbackStore))
  const audit = Option.getOrUndefined(yield* Effect.serviceOption(AuditStore))

  const breachesOf = Effect.fnUntraced(function*(rollout: Rollout.Stored, guard: Rollout.Guard, at: number) {
    const { base_version, component_id: id, component_type: kind, decided_at, versions } = rollout
    const since = Math.max(decided_at, at - (guard.window_seconds ?? Rollout.windowSeconds))
    const runs = { component: { id, kind }, owner: Owner.anyone, since, until: at + 1 }
    const { figures } = yield* store.figures(runs)
    const scores = hasFeedback && GuardRules.needsScores(guard) ? yield* store.scores(runs) : []
    const measured = (version: number): GuardRules.Measured => ({
      figures: figures.find((each) => each.version === version) ?? VersionFigures.empty(version),
      scores: scores.filter((each) => each.version === version)
    })
    const base = measured(base_version)
    return new Map(versions.flatMap(({ share, version }) => {
      if (share === 0 || version === base_version) return []
      const breach = GuardRules.breachOf(guard, measured(version), base)
      return breach === undefined ? [] : [[version, breach]]
    }))
  })

  const recorded = Effect.fnUntraced(function*({ component_id }: Rollout.Stored, at: number) {
    if (audit === undefined) return
    const id = yield* audit.begin({
      actor: null,
      credential: "internal",
      action: "a guard stopped a version",
      subject_kind: "components",
      subject_id: component_id,
      path: `/components/${component_id}/rollout`,
      request_id: null
    }, at)
    yield* audit.end(id, { status: 200, subject_ids: [] })
  })

  const look = Effect.fnUntraced(
    function*(rollout: Rollout.Stored, at: number) {
      const { component_id, component_type, guard, id, state } = rollout
      if (state !== "active" || guard === null) return
      const breaches = yield* breachesOf(rollout, guard, at)
      // a change in between is looked at next time
      if (breaches.size === 0 || !(yield* store.replace(Rollout.stopVersions(rollout, breaches, at)))) return
      for (const [version, reason] of breaches) {
        yield* Effect.annotateLogs(
          Effect.logWarning(`The ${component_type} '${component_id}' gives version ${version} no new runs: ${reason}`),
          { rollout_id: id, version }
        )
      }
      yield* recorded(rollout, at)
      yield* rollouts.changed
    },
    (looked, { component_id, component_type, id }) =>
      Effect.catch(looked, (error) =>
        Effect.annotateLogs(
          Effect.logWarning(`The versions of the ${component_type} '${component_id}' could not be measured`, error),
          { rollout_id: id }
        ))
  )

  const check = Effect.gen(function*() {
    const at = yield* now
    for (const rollout of yield* store.open) yield* look(rollout, at)
  })
  return { check }
})

export const kind = Effect.map(
  make,
  ({ check }) => JobKind.repeating({ name: "rollout-guard", every, handle: () => check })
)
