// The endpoints of rollouts. What cannot be a rollout is refused before anything is stored.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { StoredComponents } from "@svc-runtime/agents/component/StoredComponents"
import * as RunComponents from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Component from "@svc-runtime/domain/Component"
import * as Pagination from "@svc-runtime/domain/Pagination"
import * as Time from "@svc-runtime/domain/Time"
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option } from "effect"
import { FeedbackStore } from "../feedback/FeedbackStore.ts"
import * as Rollout from "./Rollout.ts"
import { Rollouts } from "./Rollouts.ts"
import { Rollouts as Endpoints } from "./RolloutsApi.ts"
import { maxOpen, RolloutStore } from "./RolloutStore.ts"
import * as Shares from "./Shares.ts"
import * as VersionFigures from "./VersionFigures.ts"

/** Seconds before now that are compared, if no time is named. */
const week = 7 * 24 * 3600

/** Changes at the same time that a stop outlasts. */
const maxTries = 10

const timeOf = Effect.fnUntraced(function*(name: "since" | "until", given: string | undefined, otherwise: number) {
  if (given === undefined) return otherwise
  const time = Time.microsecondsOf(Time.fromQuery(given))
  if (Option.isSome(time)) return Math.floor(time.value / 1_000_000)
  return yield* Errors.badRequest(`${name} is no time. Use ISO 8601, such as 2026-11-20T10:00:00Z`)
})

const invalid = (message: string) => Errors.invalidValue(["body", "versions"], message)

const percent = (value: number) => `${Number(value.toFixed(2))} %`

/** Why the shares cannot be those of a rollout, whatever versions there are. */
const problemOf = (versions: ReadonlyArray<Rollout.ShareInput>): string | undefined => {
  const numbers = versions.map(({ version }) => version)
  const twice = numbers.find((version, index) => numbers.indexOf(version) !== index)
  if (twice !== undefined) return `Version ${twice} is named twice. Give each version one share`
  const sum = Shares.sumOf(versions)
  if (sum === 100) return undefined
  return `The shares are ${percent(sum)} together, and have to be 100 %. ` +
    (sum > 100 ? `Lower them by ${percent(sum - 100)}` : `Raise them by ${percent(100 - sum)}`)
}

const by = Effect.gen(function*() {
  const principal = yield* CurrentPrincipal
  return { at: yield* now, by: principal.user_id ?? null }
})

export const handlers = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const [store, rollouts, stored] = [yield* RolloutStore, yield* Rollouts, yield* StoredComponents]
    const components = Option.getOrUndefined(yield* Effect.serviceOption(ComponentStore))
    const { registered } = yield* RunComponents.current
    const hasFeedback = Option.isSome(yield* Effect.serviceOption(FeedbackStore))

    const componentOf = Effect.fnUntraced(function*(id: Component.Id) {
      const found = components === undefined ? Option.none() : yield* components.find(id)
      if (Option.isSome(found)) return found.value
      return yield* Errors.notFound(`There is no stored component '${id}'. Only stored components have versions`)
    })

    const latest = Effect.fnUntraced(function*(id: Component.Id) {
      const found = yield* rollouts.latest(id)
      return Option.isSome(found) ? found.value : yield* Errors.notFound(`The component '${id}' has had no rollout`)
    })

    const open = Effect.fnUntraced(function*(id: Component.Id) {
      const rollout = yield* latest(id)
      if (rollout.state !== "ended") return rollout
      return yield* Errors.conflict(
        `The last rollout of '${id}' has ended: ${rollout.reason ?? "it was stopped"}. Start another one`
      )
    })

    /** Refuses shares of versions that new runs cannot have. */
    const check = Effect.fnUntraced(function*(
      { component_id: id, component_type: kind, current_version: current }: Component.Stored,
      versions: ReadonlyArray<Rollout.ShareInput>
    ) {
      if (registered({ id, kind }) !== undefined) {
        return yield* Errors.conflict(
          `The ${kind} '${id}' is defined in code as well, which all its runs use. A rollout would have no effect`
        )
      }
      const problem = problemOf(versions)
      if (problem !== undefined) return yield* invalid(problem)
      const stages = new Map(
        (yield* components?.versions(id) ?? Effect.succeed([])).map(({ stage, version }) => [version, stage])
      )
      for (const { share, version } of versions) {
        const stage = stages.get(version)
        if (stage === undefined) {
          return yield* invalid(
            `There is no version ${version} of '${id}'. GET /components/${id}/configs lists the versions`
          )
        }
        if (stage === "draft") {
          return yield* invalid(
            `Version ${version} of '${id}' is a draft, which can change. Publish it with "set_current": false first`
          )
        }
        // a version that cannot be made any more has no share
        if (version === current || share === 0) continue
        yield* stored === undefined ? Effect.void : stored.find({ id, kind }, version).pipe(
          Effect.catchTag("ComponentUnusable", ({ message }) => invalid(message))
        )
      }
      if (versions.every(({ version }) => version === current)) {
        return yield* invalid(`Version ${current} is the current one. Name another version that gets a share`)
      }
    })

    const changedMeanwhile = Errors.conflict(
      "Another request has changed the rollout meanwhile. Read it, and try again"
    )

    const replaced = Effect.fnUntraced(function*(rollout: Rollout.Stored) {
      if (!(yield* store.replace(rollout))) return yield* changedMeanwhile
      yield* rollouts.changed
      return Rollout.toRollout(rollout)
    })

    /** It names no revision: a change meanwhile, also one by the guard, does not prevent it. */
    const ended = Effect.fnUntraced(function*(id: Component.Id, reason: string) {
      for (let tries = 0; tries < maxTries; tries++) {
        const rollout = Rollout.end(yield* open(id), reason, yield* by)
        if (!(yield* store.replace(rollout))) continue
        yield* rollouts.changed
        return Rollout.toRollout(rollout)
      }
      return yield* changedMeanwhile
    })

    return handlers.handleAll({
      get: Effect.fn("Rollouts.get")(
        ({ params }) => Effect.map(latest(params.component_id), Rollout.toRollout),
        orUnavailable
      ),
      start: Effect.fn("Rollouts.start")(function*({ params: { component_id }, payload }) {
        const component = yield* componentOf(component_id)
        const { component_type, current_version: base_version } = component
        if (base_version === null) {
          return yield* Errors.conflict(`No version of '${component_id}' is published. Publish one first`)
        }
        yield* check(component, payload.versions)
        // one that is over does not count
        yield* rollouts.latest(component_id)
        const id = Rollout.Id.make((yield* NewId)())
        const rollout = Rollout.start(payload, { id, component_id, component_type, base_version }, yield* by)
        const outcome = yield* store.create(rollout)
        if (outcome === "taken") {
          return yield* Errors.conflict(`'${component_id}' has a rollout. Change it with PATCH, or stop it first`)
        }
        if (outcome === "full") {
          return yield* Errors.conflict(`There are ${maxOpen} rollouts already. Stop one first`)
        }
        yield* rollouts.changed
        return Rollout.toRollout(rollout)
      }, orUnavailable),
      update: Effect.fn("Rollouts.update")(function*({ params: { component_id }, payload }) {
        const rollout = yield* open(component_id)
        if (payload.revision !== undefined && payload.revision !== rollout.revision) {
          return yield* Errors.conflict(
            `The rollout has the revision ${rollout.revision}, not ${payload.revision}. Read it, and try again`
          )
        }
        if (payload.versions !== undefined) yield* check(yield* componentOf(component_id), payload.versions)
        if (payload.versions === undefined && payload.guard === undefined) return Rollout.toRollout(rollout)
        return yield* replaced(Rollout.change(rollout, payload, yield* by))
      }, orUnavailable),
      stop: Effect.fn("Rollouts.stop")(
        ({ params: { component_id }, payload }) => ended(component_id, payload.reason ?? "It was stopped"),
        orUnavailable
      ),
      list: Effect.fn("Rollouts.list")(function*({ params, query }) {
        yield* rollouts.latest(params.component_id)
        const listed = yield* store.list(params.component_id, query)
        return JsonResponse.of(Pagination.response(query, listed.rollouts.map(Rollout.toRollout), listed.total))
      }, orUnavailable),
      compare: Effect.fn("Rollouts.compare")(function*({ params: { component_id }, query }) {
        const component = yield* componentOf(component_id)
        const at = yield* now
        const until = yield* timeOf("until", query.until, at + 1)
        const since = yield* timeOf("since", query.since, until - week)
        if (since > until) {
          return yield* Errors.badRequest("since is after until. Name a time that begins before it ends")
        }
        const owner = yield* RequestCaller.ownerOf(query.user_id)
        const runs = { component: { id: component_id, kind: component.component_type }, owner, since, until }
        const { figures, isComplete } = yield* store.figures(runs)
        const scores = hasFeedback ? yield* store.scores(runs) : []
        const rollout = Option.filter(yield* rollouts.latest(component_id), ({ state }) => state !== "ended")
        const shares = new Map(
          Option.toArray(rollout).flatMap(({ versions }) => versions.map(({ share, version }) => [version, share]))
        )
        const current = component.current_version
        const all = new Set([
          ...figures.map(({ version }) => version),
          ...shares.keys(),
          ...current === null ? [] : [current]
        ])
        const byVersion = new Map(figures.map((each) => [each.version, each]))
        return {
          since,
          until,
          is_complete: isComplete,
          versions: [...all].sort((one, other) => one - other).map((version) =>
            VersionFigures.compared(byVersion.get(version) ?? VersionFigures.empty(version), scores, {
              current,
              share: shares.get(version)
            })
          )
        }
      }, orUnavailable)
    })
  })
)
