// The registered components and factories of one kind, in the order of the options.
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Effect, Schema } from "effect"
import { type Component, type Factory, isFactory } from "../factory/Factory.ts"
import { FactoryContextRequired } from "../factory/FactoryErrors.ts"

export class DuplicateIds extends Schema.TaggedError<DuplicateIds>()("DuplicateIds", {
  kind: Schema.String,
  ids: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Duplicate IDs found among ${this.kind}: ${this.ids.join(", ")}. Every one needs an id of its own.`
  }
}

export interface Registrations<C extends Component, E> {
  readonly registered: ReadonlyArray<C | Factory<C>>
  /** The components, without the factories. */
  readonly all: ReadonlyArray<C>
  readonly find: (id: C["id"]) => Effect.Effect<C | Factory<C>, E>
  /** Finds only components, not factories. */
  readonly get: (id: C["id"]) => Effect.Effect<C, E | FactoryContextRequired>
}

const twiceIn = (ids: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
]

export const make = <C extends Component, E>(
  kind: ComponentKind.ComponentKind,
  registered: ReadonlyArray<C | Factory<C>>,
  notFound: (id: C["id"]) => E
): Effect.Effect<Registrations<C, E>, DuplicateIds> => {
  const twice = twiceIn(registered.map(({ id }) => id))
  if (twice.length > 0) return Effect.fail(new DuplicateIds({ kind: `${kind}s`, ids: twice }))
  const byId = new Map(registered.map((entry) => [entry.id, entry]))
  const find = (id: C["id"]) => {
    const entry = byId.get(id)
    return entry === undefined ? Effect.fail(notFound(id)) : Effect.succeed(entry)
  }
  return Effect.succeed({
    registered,
    all: registered.filter((entry): entry is C => !isFactory(entry)),
    find,
    get: (id) =>
      Effect.flatMap(find(id), (entry) =>
        isFactory(entry)
          ? Effect.fail(new FactoryContextRequired({ kind, factory: id }))
          : Effect.succeed(entry))
  })
}
