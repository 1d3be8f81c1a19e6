// What a model may learn in one call, and how that changes a stored learning. The identity never comes from the model,
// except which entity of the namespace is meant.
import { Option, Result, Schema } from "effect"
import * as Ids from "./Ids.ts"
import type * as Json from "./Json.ts"
import * as Learning from "./Learning.ts"
import type * as Session from "./Session.ts"
import * as Time from "./Time.ts"

const text = (description: string, maximum = 2000) =>
  Schema.String.check(Schema.isMaxLength(maximum)).annotate({ description })
const some = (description: string) =>
  Schema.optionalKey(Schema.Array(text("One of them")).check(Schema.isMaxLength(20)).annotate({ description }))
const given = (description: string) => Schema.optionalKey(text(description))
const name = (description: string, maximum: number) =>
  text(description, maximum).check(Schema.isMinLength(1), Ids.exact)

/** What a model may give for a learning of each type. */
export const shapes = {
  user_profile: Schema.Struct({
    name: given("The full name of the user"),
    preferred_name: given("How the user wants to be called"),
    facts: Schema.optionalKey(
      Schema.Array(Schema.Struct({ name: name("What it is, in snake_case", 64), value: text("The value") }))
        .check(Schema.isMaxLength(20)).annotate({ description: "Other lasting facts about the user" })
    )
  }),
  user_memory: Schema.Struct({
    memory: text("One sentence about the user. Empty removes the memory of the id"),
    id: given("The id of the memory that it replaces")
  }),
  session_context: Schema.Struct({
    summary: text("What the session is about"),
    goal: given("What the user wants to achieve"),
    plan: some("The steps that are planned"),
    progress: some("The steps that are done")
  }),
  entity_memory: Schema.Struct({
    entity_type: name("The kind of thing, for example company", 128),
    entity_id: name("Its short name in snake_case", 256),
    name: given("Its name"),
    description: given("What it is"),
    facts: some("New facts about it"),
    events: some("What happened to it")
  }),
  decision_log: Schema.Struct({
    decision: text("What was decided"),
    reasoning: text("Why"),
    alternatives: some("What was considered and rejected"),
    confidence: Schema.optionalKey(Schema.Finite.annotate({ description: "From 0 to 1" }))
  }),
  learned_knowledge: Schema.Struct({
    title: text("A few words"),
    learning: text("What was learned, so that it helps without this conversation"),
    context: given("When it applies"),
    tags: some("Words under which it is found")
  })
} as const

export type Type = keyof typeof shapes
export const types = Object.keys(shapes) as ReadonlyArray<Type>

export type Change = { readonly [T in Type]: { readonly type: T; readonly value: (typeof shapes)[T]["Type"] } }[Type]

/** Whose learning it is, and what writes it. */
export interface Subject {
  /** The user of the run. */
  readonly user_id: Ids.UserId | undefined
  readonly session_id: Session.Id
  readonly agent_id: string
  /** The namespace as it is stored, and whose its learnings are; null for all users. */
  readonly namespace: string
  readonly owner: Ids.UserId | null
  readonly at: Time.EpochSeconds
  readonly newId: () => string
}

/** The maximum of each list in a content. */
const maximumItems = 100

/** PostgreSQL index keys are limited to 2,700 bytes. */
const maximumIdBytes = 2000

const asObject = (value: Json.Value | undefined): Json.Object =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json.Object : {}

const asItems = (value: Json.Value | undefined): ReadonlyArray<Json.Value> => Array.isArray(value) ? value : []

const item = (content: string, { at, newId }: Subject, created_at?: Json.Value | undefined): Json.Object => ({
  id: newId().slice(0, 8),
  content,
  created_at: created_at ?? Time.toDateTime(at),
  updated_at: Time.toDateTime(at)
})

const withoutEmpty = (value: object): Json.Object =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== "")) as Json.Object

const memories = (known: Json.Object, { id, memory }: typeof shapes.user_memory.Type, subject: Subject) => {
  const all = asItems(known["memories"])
  const isMeant = (one: Json.Value) => id !== undefined && asObject(one)["id"] === id
  if (id !== undefined && !all.some(isMeant)) return Result.fail("There is no memory with this id.")
  if (memory === "") return Result.succeed({ memories: all.filter((one) => !isMeant(one)) })
  return Result.succeed({
    memories: id === undefined
      ? [...all, item(memory, subject)]
      : all.map((one) => isMeant(one) ? { ...item(memory, subject, asObject(one)["created_at"]), id } : one)
  })
}

const entity = (
  known: Json.Object,
  { events = [], facts = [], ...rest }: typeof shapes.entity_memory.Type,
  by: Subject
) => ({
  ...withoutEmpty(rest),
  namespace: by.namespace,
  facts: [...asItems(known["facts"]), ...facts.map((fact) => item(fact, by))],
  events: [
    ...asItems(known["events"]),
    ...events.map((event) => ({ ...item(event, by), date: Time.toDateTime(by.at) }))
  ]
})

/** The fields that the change adds to the content, or replaces in it. */
const fieldsOf = (change: Change, known: Json.Object, subject: Subject): Result.Result<Json.Object, string> => {
  switch (change.type) {
    case "user_profile": {
      const { facts = [], ...names } = change.value
      const custom = Object.fromEntries(facts.map(({ name, value }) => [name, value]))
      return Result.succeed({ ...custom, ...withoutEmpty(names), user_id: subject.user_id ?? null })
    }
    case "user_memory":
      return Result.map(
        memories(known, change.value, subject),
        (list) => ({ ...list, user_id: subject.user_id ?? null })
      )
    case "session_context":
      return Result.succeed({
        ...withoutEmpty(change.value),
        session_id: subject.session_id,
        user_id: subject.user_id ?? null
      })
    case "entity_memory":
      return Result.succeed(entity(known, change.value, subject))
    case "decision_log":
    case "learned_knowledge":
      return Result.succeed(withoutEmpty(change.value))
  }
}

const ofUser: ReadonlyArray<Type> = ["user_profile", "user_memory", "session_context"]

const identityOf = (change: Change, { namespace, owner, session_id, user_id }: Subject): Learning.Identity => ({
  learning_type: change.type,
  namespace: ofUser.includes(change.type) ? null : namespace,
  user_id: ofUser.includes(change.type) ? user_id ?? null : owner,
  session_id,
  ...(change.type === "entity_memory"
    ? { entity_id: change.value.entity_id, entity_type: change.value.entity_type }
    : { entity_id: null, entity_type: null })
})

/** Ids are made of names with a separator that names can have, so two identities can have one id. */
const isSame = (known: Learning.Learning, identity: Learning.Identity): boolean =>
  known.learning_type === identity.learning_type && known.user_id === identity.user_id &&
  (identity.learning_type !== "entity_memory" ||
    (Learning.isIn(identity.namespace ?? Learning.globalNamespace, known) && known.entity_id === identity.entity_id &&
      known.entity_type === identity.entity_type))

const isTooLong = (value: Json.Value): boolean => Array.isArray(value) && value.length > maximumItems

/** The id of the learning that is changed. None: the change makes a new one. Fails without the identity it needs. */
export const idOf = (change: Change, subject: Subject): Result.Result<Option.Option<Learning.Id>, string> => {
  const identity = identityOf(change, subject)
  const missing = Learning.missingFields(identity)
  if (missing.length > 0) {
    return Result.fail(`This run has no ${missing.join(", ")}, so nothing of this type is learned.`)
  }
  const id = Learning.idOf(identity)
  return Option.isSome(id) && new TextEncoder().encode(id.value).length > maximumIdBytes
    ? Result.fail("The names are too long.")
    : Result.succeed(id)
}

/** The learning after the change. `known` is the stored one. */
export const apply = (
  change: Change,
  known: Learning.Learning | undefined,
  subject: Subject
): Result.Result<Learning.Learning, string> =>
  Result.flatMap(
    idOf(change, subject),
    (id) =>
      Result.flatMap(fieldsOf(change, known?.content ?? {}, subject), (fields) => {
        const identity = identityOf(change, subject)
        if (known !== undefined && !isSame(known, identity)) return Result.fail("The name is used for something else.")
        const at = Time.toDateTime(subject.at)
        const created_at = known?.content?.["created_at"] ?? at
        const content: Json.Object = { ...known?.content, ...fields, created_at, updated_at: at }
        if (Object.values(content).some(isTooLong) || !Learning.isContent(content)) {
          return Result.fail("There is no room for more. Replace or remove something first.")
        }
        const { entity_id, entity_type, learning_type, namespace, user_id } = identity
        return Result.succeed({
          learning_id: Option.getOrElse(id, () => Learning.Id.make(subject.newId())),
          learning_type,
          namespace: namespace ?? null,
          user_id: (user_id ?? null) as Ids.UserId | null,
          agent_id: subject.agent_id,
          team_id: null,
          session_id: subject.session_id,
          entity_id: entity_id ?? null,
          entity_type: entity_type ?? null,
          metadata: null,
          created_at: subject.at,
          ...known,
          content,
          updated_at: subject.at
        })
      })
  )
