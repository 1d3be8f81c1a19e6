// The components that a node has made for new runs. They are used again as long as what they are made of is current,
// which one statement tells: one that reads it, or the one that stores a run.
import type { Head } from "@svc-runtime/agents/component/ComponentStore"
import type { SharedVersion, StoredComponent } from "@svc-runtime/agents/component/StoredComponents"
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import type * as Component from "@svc-runtime/domain/Component"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as Assumption from "@svc-runtime/engine/ComponentPrecondition"
import { Effect, Option } from "effect"
import type { Built, BuiltComponents } from "./BuiltComponents.ts"
import type { VersionReading } from "./VersionReading.ts"

/** The version of the component, and of those in it that are not linked. */
const numbersOf = ({ inside }: Built, id: string, version: number): Component.Versions["numbers"] => {
  const numbers = [...inside.values()].flatMap(({ current, id }) => current === null ? [] : [[id, current] as const])
  return {
    ...Object.fromEntries(numbers.map(([id, { current_version }]) => [id, current_version ?? version])),
    [id]: version
  }
}

export const make = (kept: BuiltComponents["Service"]) => {
  const before = ({ id, kind }: ComponentRef) => kept.get({ kind, id, version: "current" })

  /** Whether what is in a component is still as it was. */
  const isSame = Effect.fnUntraced(
    function*({ inside }: Built, reading: VersionReading): Effect.fn.Return<boolean, StorageUnavailable> {
      if (inside.size === 0) return true
      yield* reading.heads([...inside.keys()])
      for (const [id, assumption] of inside) {
        if (!Assumption.holds(assumption, Option.getOrUndefined(yield* reading.head(id)))) return false
      }
      return true
    }
  )

  return {
    isSame,
    /** The component as it was when it was last read. A shared version counts while its base is the current one. */
    lastKnown: (ref: ComponentRef, shared?: SharedVersion): StoredComponent | undefined => {
      const isBase = shared === undefined || shared.version === shared.base
      const built = isBase ? before(ref) : kept.get({ ...ref, version: shared.version })
      const version = isBase ? built?.version : shared.version
      if (built === undefined || version === undefined) return undefined
      const { component, inside, name } = built
      const current = { component_type: ref.kind, current_version: isBase ? version : shared.base }
      return {
        component,
        versions: { numbers: numbersOf(built, ref.id, version) },
        assumes: [{ id: ref.id, name, current }, ...inside.values()]
      }
    },
    /** The head of the component, and the kept component if it is still current. */
    find: Effect.fnUntraced(function*(ref: ComponentRef, reading: VersionReading) {
      const { id, kind } = ref
      const built = before(ref)
      yield* reading.heads([id, ...built?.inside.keys() ?? []])
      const head = Option.filter(yield* reading.head(id), ({ component_type }) => component_type === kind)
      const isNamed = ({ current_version, name }: Head) => current_version === built?.version && name === built?.name
      const isUsed = built?.version !== undefined && Option.exists(head, isNamed) && (yield* isSame(built, reading))
      const again: StoredComponent | undefined = isUsed && built.version !== undefined
        ? { component: built.component, versions: { numbers: numbersOf(built, id, built.version) } }
        : undefined
      return { head: Option.getOrUndefined(head), again }
    }),
    keep: ({ id, kind }: ComponentRef, version: number, built: Built) =>
      kept.put({ kind, id, version: "current" }, { ...built, version })
  }
}
