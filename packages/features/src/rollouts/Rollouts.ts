// The rollouts as a node knows them: it reads them every few seconds, so that a run needs no statement to get its
// version.
import { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import { type VersionOf, VersionShares } from "@svc-runtime/agents/runService/VersionShares"
import * as Component from "@svc-runtime/domain/Component"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as BackgroundLoops from "@svc-runtime/engine/node/BackgroundLoops"
import { retryUntilAvailable } from "@svc-runtime/engine/node/retryUntilAvailable"
import { now } from "@svc-runtime/engine/now"
import { Context, Effect, Layer, Option } from "effect"
import * as Places from "./Places.ts"
import * as Rollout from "./Rollout.ts"
import { RolloutStore } from "./RolloutStore.ts"
import * as Shares from "./Shares.ts"

export class Rollouts extends Context.Service<Rollouts, {
  /** Reads the rollouts again, after a change. */
  readonly changed: Effect.Effect<void, StorageUnavailable>
  /** The newest rollout of a component. It is ended before if its base is not the current version any more. */
  readonly latest: (id: Component.Id) => Effect.Effect<Option.Option<Rollout.Stored>, StorageUnavailable>
}>()("@svc-runtime/features/rollouts/Rollouts") {}

/** Between two reads of the rollouts: changes by other nodes are known after it. */
const every = "5 seconds"

type Head = Pick<Component.Stored, "component_type" | "current_version">

/** Why a rollout is over. Undefined: it continues. */
const endOf = (
  { base_version, component_type, versions }: Rollout.Stored,
  head: Head | undefined,
  isPresent: (version: number) => boolean
): string | undefined => {
  if (head === undefined) return "The component was deleted"
  if (head.component_type !== component_type) return `The type of the component was changed to ${head.component_type}`
  // of a deletion and a change of the rollout at the same moment, each may not see the other
  const deleted = versions.find(({ version }) => !isPresent(version))
  if (deleted !== undefined) return `Version ${deleted.version} was deleted`
  return head.current_version === base_version
    ? undefined
    : `Version ${head.current_version} was made the current version in place of version ${base_version}`
}

const versionOf = ({ base_version, id, spans, sticky }: Rollout.Stored): VersionOf => ({ session_id, user_id }) => {
  const key = sticky === "user" ? user_id ?? session_id : session_id
  return { base: base_version, version: Shares.versionAt(spans, Places.placeOf(id, key)) ?? base_version }
}

const make = Effect.gen(function*() {
  const store = yield* RolloutStore
  const components = Option.getOrUndefined(yield* Effect.serviceOption(ComponentStore))
  let known: ReadonlyMap<string, VersionOf> = new Map()

  const keyOf = ({ id, kind }: { readonly id: string; readonly kind: string }) => `${kind} ${id}`

  /** Without what is over. Another node can have ended it, or changed it, which the next read shows. */
  const current = Effect.fnUntraced(function*(rollouts: ReadonlyArray<Rollout.Stored>) {
    if (rollouts.length === 0 || components === undefined) return rollouts
    const heads = new Map(
      (yield* components.heads(rollouts.map(({ component_id }) => component_id))).map((head) => [
        head.component_id,
        head
      ])
    )
    const keys = rollouts.flatMap(({ component_id: id, versions }) => versions.map(({ version }) => ({ id, version })))
    const present = new Set((yield* components.present(keys)).map(({ id, version }) => `${id} ${version}`))
    return yield* Effect.forEach(rollouts, (rollout) => {
      const { component_id } = rollout
      const reason = endOf(rollout, heads.get(component_id), (version) => present.has(`${component_id} ${version}`))
      if (reason === undefined) return Effect.succeed(rollout)
      return Effect.gen(function*() {
        const ended = Rollout.end(rollout, reason, { at: yield* now, by: null })
        if (yield* store.replace(ended)) {
          yield* Effect.annotateLogs(
            Effect.logInfo(`The rollout of the ${rollout.component_type} '${rollout.component_id}' ended: ${reason}`),
            { rollout_id: rollout.id }
          )
        }
        return ended
      })
    })
  })

  const read = Effect.gen(function*() {
    const rollouts = yield* current(yield* store.open)
    known = new Map(rollouts.flatMap((rollout) =>
      rollout.state === "active"
        ? [[keyOf({ id: rollout.component_id, kind: rollout.component_type }), versionOf(rollout)]]
        : []
    ))
  })

  const latest = Effect.fnUntraced(function*(id: Component.Id) {
    const found = yield* store.latest(id)
    if (Option.isNone(found) || found.value.state === "ended") return found
    return Option.fromUndefinedOr((yield* current([found.value]))[0])
  })

  yield* Effect.orDie(retryUntilAvailable(read))
  yield* BackgroundLoops.fork({}, { rollouts: { task: read, every } })

  return Context.make(
    VersionShares,
    VersionShares.of({
      of: (component) => known.size === 0 ? undefined : known.get(keyOf(component)),
      includes: (id, version) =>
        Effect.map(
          latest(Component.Id.make(id)),
          Option.exists(({ state, versions }) => state !== "ended" && versions.some((each) => each.version === version))
        )
    })
  ).pipe(Context.add(Rollouts, Rollouts.of({ changed: read, latest })))
})

export const layer = Layer.effectContext(make)
