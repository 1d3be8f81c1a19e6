// In which databases the runs of a component can be: the one that it declares, or the service's own.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import { type DatabaseHandle, isSame } from "@svc-runtime/engine/DatabaseHandle"
import { Context, Effect, Schema } from "effect"
import { type Component, type Factory, isFactory } from "../factory/Factory.ts"

export interface ComponentRef {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

type Registered = Component | Factory<Component>

/** Everything that a service offers. */
export type Registry = Readonly<Record<ComponentKind.ComponentKind, ReadonlyArray<Registered>>>

export class ConflictingDatabases extends Schema.TaggedError<ConflictingDatabases>()("ConflictingDatabases", {
  id: Schema.String,
  isOwn: Schema.Boolean
}) {
  override get message() {
    return this.isOwn
      ? `The id '${this.id}' is that of the service's own database. Give the other database an id of its own.`
      : `Two databases have the id '${this.id}' and different settings. Give each an id of its own.`
  }
}

/** The databases beside the service's own, each once. */
export const handlesOf = Effect.fnUntraced(function*(
  own: Ids.DatabaseId,
  registry: Registry,
  more: ReadonlyArray<DatabaseHandle>
) {
  const declared = Object.values(registry).flat().flatMap(({ db }) => db ?? [])
  const byId = new Map<Ids.DatabaseId, DatabaseHandle>()
  for (const handle of [...declared, ...more]) {
    const known = byId.get(handle.id)
    if (handle.id === own) return yield* new ConflictingDatabases({ id: own, isOwn: true })
    if (known !== undefined && !isSame(known, handle)) {
      return yield* new ConflictingDatabases({ id: handle.id, isOwn: false })
    }
    byId.set(handle.id, handle)
  }
  return [...byId.values()]
})

export class ComponentDatabases extends Context.Service<ComponentDatabases, {
  /**
   * The databases in which a run can be, the likeliest first. A factory can build components for any database, and
   * without a component a run can be in any database.
   */
  readonly candidates: (component: ComponentRef | undefined) => ReadonlyArray<Ids.DatabaseId>
}>()("@svc-runtime/agents/database/ComponentDatabases") {
  /** The first database is the service's own. */
  static readonly make = (databases: readonly [Ids.DatabaseId, ...Array<Ids.DatabaseId>], registry: Registry) => {
    const [own] = databases
    const keyOf = ({ id, kind }: ComponentRef) => `${kind} ${id}`
    const declared = new Map<string, { readonly id: Ids.DatabaseId; readonly isFactory: boolean }>()
    for (const kind of ComponentKind.ComponentKind.literals) {
      for (const each of registry[kind]) {
        declared.set(keyOf({ kind, id: each.id }), { id: each.db?.id ?? own, isFactory: isFactory(each) })
      }
    }
    return ComponentDatabases.of({
      candidates: (component) => {
        const known = component && declared.get(keyOf(component))
        if (known === undefined) return databases
        return known.isFactory ? [known.id, ...databases.filter((id) => id !== known.id)] : [known.id]
      }
    })
  }
}
