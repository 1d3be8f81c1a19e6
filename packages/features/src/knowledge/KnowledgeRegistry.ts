// The knowledge bases of a service: those of its agents and teams, and its own list. Requests select one by its id, or
// by its database.
import type * as Ids from "@svc-runtime/domain/Ids"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { Knowledge } from "./KnowledgeBase.ts"

/** The table of contents of a database, as discovery names it. */
export const table = "svc_knowledge"

/** A knowledge base in its database. */
export interface Instance {
  readonly id: string
  readonly name: string
  readonly database: Ids.DatabaseId
  readonly knowledge: Knowledge
}

export interface Choice {
  readonly db_id?: string | undefined
  readonly knowledge_id?: string | undefined
}

export class KnowledgeNotFound extends Schema.TaggedError<KnowledgeNotFound>()("KnowledgeNotFound", {
  message: Schema.String
}) {}

/** The request does not select one of several. */
export class KnowledgeNotChosen extends Schema.TaggedError<KnowledgeNotChosen>()("KnowledgeNotChosen", {
  message: Schema.String
}) {}

export class DuplicateKnowledge extends Schema.TaggedError<DuplicateKnowledge>()("DuplicateKnowledge", {
  name: Schema.String,
  database: Schema.String
}) {
  override get message() {
    return `Two knowledge bases of the database '${this.database}' are called '${this.name}'. Give each a name of its ` +
      "own, or use one for both."
  }
}

export class KnowledgeRegistry extends Context.Service<KnowledgeRegistry, {
  readonly all: ReadonlyArray<Instance>
  /** Of a registered knowledge base. */
  readonly of: (knowledge: Knowledge) => Instance | undefined
  readonly find: (id: string) => Instance | undefined
  readonly choose: (choice: Choice) => Effect.Effect<Instance, KnowledgeNotChosen | KnowledgeNotFound>
}>()("@svc-runtime/features/knowledge/KnowledgeRegistry") {
  /** There are none in a service without the feature. */
  static readonly instances: Effect.Effect<ReadonlyArray<Instance>> = Effect.map(
    Effect.serviceOption(KnowledgeRegistry),
    Option.match({ onNone: () => [], onSome: ({ all }) => all })
  )

  /** `own`: the service's own database. One that is registered more than once counts once. */
  static readonly layer = (
    own: Ids.DatabaseId,
    registered: ReadonlyArray<Knowledge>
  ): Layer.Layer<KnowledgeRegistry, DuplicateKnowledge> => Layer.effect(KnowledgeRegistry, make(own, registered))
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

const idOf = (database: string, name: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${database}:${table}:${name}`))),
    (digest) => hex(digest).slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  )

const idsOf = (instances: ReadonlyArray<Instance>): string => `[${instances.map(({ id }) => `'${id}'`).join(", ")}]`

const chooseFrom = (
  all: ReadonlyArray<Instance>,
  { db_id, knowledge_id }: Choice
): Effect.Effect<Instance, KnowledgeNotChosen | KnowledgeNotFound> => {
  if (knowledge_id !== undefined) {
    const found = all.find(({ id }) => id === knowledge_id)
    return found === undefined
      ? Effect.fail(new KnowledgeNotFound({ message: `Knowledge base '${knowledge_id}' not found` }))
      : Effect.succeed(found)
  }
  const candidates = db_id === undefined ? all : all.filter(({ database }) => database === db_id)
  const [first] = candidates
  if (first !== undefined && candidates.length === 1) return Effect.succeed(first)
  if (db_id === undefined) {
    const message = "db_id or knowledge_id query parameter is required when using multiple knowledge bases. " +
      `Available IDs: ${idsOf(all)}`
    return Effect.fail(new KnowledgeNotChosen({ message }))
  }
  if (first === undefined) {
    return Effect.fail(new KnowledgeNotFound({ message: `Knowledge instance with db_id '${db_id}' not found` }))
  }
  const message = `Multiple knowledge instances found for db_id '${db_id}'. Please specify knowledge_id parameter. ` +
    `Available IDs: ${idsOf(candidates)}`
  return Effect.fail(new KnowledgeNotChosen({ message }))
}

const make = Effect.fnUntraced(function*(own: Ids.DatabaseId, registered: ReadonlyArray<Knowledge>) {
  const all: Array<Instance> = []
  for (const knowledge of new Set(registered)) {
    const database = knowledge.db?.id ?? own
    const name = knowledge.name ?? `knowledge_${database}`
    if (all.some((other) => other.database === database && other.name === name)) {
      return yield* new DuplicateKnowledge({ name, database })
    }
    all.push({ id: yield* idOf(database, name), name, database, knowledge })
  }
  return KnowledgeRegistry.of({
    all,
    of: (knowledge) => all.find((instance) => instance.knowledge === knowledge),
    find: (id) => all.find((instance) => instance.id === id),
    choose: (choice) => chooseFrom(all, choice)
  })
})
