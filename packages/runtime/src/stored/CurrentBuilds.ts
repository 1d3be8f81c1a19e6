// Components that are made of the current versions of others. They are used again as long as these are current, which
// one statement tells.
import type * as Component from "@svc/domain/Component"
import { Effect, Option } from "effect"
import type { Head } from "../component/ComponentStore.ts"
import type { StoredComponent } from "../component/StoredComponents.ts"
import type { ComponentRef } from "../service/Components.ts"
import type { Built, BuiltComponents, Current } from "./BuiltComponents.ts"
import type { VersionReading } from "./VersionReading.ts"

/** The version of the component, and of those in it that are not linked. */
const numbersOf = ({ named, version }: Current, id: string): Component.Versions["numbers"] => {
  const numbers = [...named].map(([id, head]) => [id, head.current_version ?? version] as const)
  return { ...Object.fromEntries(numbers), [id]: version }
}

const isSame = (one: Head, other: Head): boolean =>
  one.component_type === other.component_type && one.current_version === other.current_version &&
  one.name === other.name

export const make = (kept: BuiltComponents["Service"]) => {
  const isCurrent = Effect.fnUntraced(function*({ current, name }: Built, head: Head, reading: VersionReading) {
    if (current === undefined || current.version !== head.current_version || name !== head.name) return false
    for (const [id, was] of current.named) {
      const is = yield* reading.head(id)
      if (Option.isNone(is) || !isSame(was, is.value)) return false
    }
    return true
  })

  return {
    /** The head of the component, and the kept component if it is still current. */
    find: Effect.fnUntraced(function*({ id, kind }: ComponentRef, reading: VersionReading) {
      const before = kept.get({ kind, id, version: "current" })
      yield* reading.heads([id, ...before?.current?.named.keys() ?? []])
      const head = Option.filter(yield* reading.head(id), ({ component_type }) => component_type === kind)
      const isUsed = before !== undefined && Option.isSome(head) && (yield* isCurrent(before, head.value, reading))
      const again: StoredComponent | undefined = isUsed && before.current !== undefined
        ? { component: before.component, versions: { numbers: numbersOf(before.current, id) } }
        : undefined
      return { head: Option.getOrUndefined(head), again }
    }),
    /** `ids`: of the components in it that are not linked. */
    keep: Effect.fnUntraced(
      function*(ref: ComponentRef, version: number, built: Built, ids: Iterable<string>, reading: VersionReading) {
        const named = new Map<string, Head>()
        for (const id of ids) {
          const head = yield* reading.head(id)
          if (Option.isNone(head)) return
          named.set(id, head.value)
        }
        kept.put({ kind: ref.kind, id: ref.id, version: "current" }, { ...built, current: { version, named } })
      }
    )
  }
}
