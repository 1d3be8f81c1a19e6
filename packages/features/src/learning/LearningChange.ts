// How what a model gives changes a stored learning. The identity never comes from the model, except which entity of the
// namespace is meant.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Session from "@svc-runtime/domain/Session"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import * as Time from "@svc-runtime/domain/Time"
import { Option, Result } from "effect"
import * as Learning from "./Learning.ts"
import { type Change, shapes } from "./LearningShape.ts"

/** Whose learning it is, and what writes it. */
export interface Subject {
  /** The user of the run. */
  readonly user_id: Ids.UserId | undefined
  readonly session_id: Session.Id
  /** The agent, or the team, that learns. */
  readonly agent_id: string | null
  readonly team_id: string | null
  /** The namespace as it is stored, and whose its learnings are; null for all users. */
  readonly namespace: string
  readonly owner: Ids.UserId | null
  readonly at: Time.EpochSeconds
  readonly newId: () => string
}

/** The maximum of each list in a content. */
const maxItems = 100

/** PostgreSQL index keys are limited to 2,700 bytes. */
const maxIdBytes = 2000

const asObject = (value: Json.Value | undefined): Json.Object =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Json.Object : {}

const asItems = (value: Json.Value | undefined): ReadonlyArray<Json.Value> => Array.isArray(value) ? value : []

const item = (content: string, { at, newId }: Subject, created_at?: Json.Value | undefined): Json.Object => ({
  id: newId().slice(0, 8),
  content,
  created_at: created_at ?? Time.toDateTime(at),
  updated_at: Time.toDateTime(at)
})

/** The fields of the type that the model has given. */
const given = ({ type, value }: Change): Json.Object => {
  const fields = Object.keys(shapes[type].fields)
  return Object.fromEntries(
    Object.entries(value).filter(([name, field]) => fields.includes(name) && field !== undefined && field !== "")
  ) as Json.Object
}

type Entity = typeof shapes.entity_memory.Type
type NamedValues = typeof shapes.user_profile.Type["facts"]

const toObject = (values: NamedValues = []): Json.Object =>
  Object.fromEntries(values.map(({ name, value }) => [name, value]))

/** The known ones first. */
const union = <A extends Json.Value>(known: ReadonlyArray<A>, added: ReadonlyArray<A>): ReadonlyArray<A> => [
  ...new Map([...known, ...added].map((one) => [JSON.stringify(one), one])).values()
]

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

const relationship = ({ direction, entity_id, relation }: NonNullable<Entity["relationships"]>[number]) => ({
  entity_id,
  relation,
  direction
})

const entity = (known: Json.Object, change: Extract<Change, { readonly type: "entity_memory" }>, by: Subject) => {
  const { aliases = [], events = [], facts = [], properties, relationships = [] } = change.value
  return {
    ...given(change),
    namespace: by.namespace,
    properties: { ...asObject(known["properties"]), ...toObject(properties) },
    aliases: union(asItems(known["aliases"]), aliases),
    facts: [...asItems(known["facts"]), ...facts.map((fact) => item(fact, by))],
    events: [
      ...asItems(known["events"]),
      ...events.map((event) => ({ ...item(event, by), date: Time.toDateTime(by.at) }))
    ],
    relationships: union(asItems(known["relationships"]), relationships.map(relationship))
  }
}

/** A confidence of another scale would say something else. */
const decision = (
  change: Extract<Change, { readonly type: "decision_log" }>,
  known: Json.Object
): Result.Result<Json.Object, string> => {
  const { confidence, id, ...fields } = given(change)
  if (id !== undefined && known["id"] !== id) return Result.fail("There is no decision with this id.")
  return Result.succeed(
    typeof confidence === "number" && confidence >= 0 && confidence <= 1 ? { ...fields, confidence } : fields
  )
}

/** The fields that the change adds to the content, or replaces in it. */
const fieldsOf = (change: Change, known: Json.Object, subject: Subject): Result.Result<Json.Object, string> => {
  switch (change.type) {
    case "user_profile": {
      const { facts: _, ...names } = given(change)
      const { agent_id, team_id, user_id = null } = subject
      return Result.succeed({ ...toObject(change.value.facts), ...names, user_id, agent_id, team_id })
    }
    case "user_memory":
      return Result.map(
        memories(known, change.value, subject),
        (list) => ({ ...list, user_id: subject.user_id ?? null })
      )
    case "session_context": {
      const { session_id, user_id = null } = subject
      return Result.succeed({ goal: null, plan: [], progress: [], ...given(change), session_id, user_id })
    }
    case "entity_memory":
      return Result.succeed(entity(known, change, subject))
    case "decision_log":
      return decision(change, known)
    case "learned_knowledge":
      return Result.succeed(given(change))
  }
}

const ofUser: ReadonlyArray<string> = ["user_profile", "user_memory", "session_context"]

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
  (ofUser.includes(known.learning_type) ||
    (Learning.isIn(identity.namespace ?? Learning.globalNamespace, known) &&
      known.entity_id === (identity.entity_id ?? null) && known.entity_type === (identity.entity_type ?? null)))

const isTooLong = (value: Json.Value): boolean =>
  (Array.isArray(value) ? value : Object.keys(asObject(value))).length > maxItems

/** The id of the learning that is changed. None: the change makes a new one. Fails without the identity it needs. */
export const idOf = (change: Change, subject: Subject): Result.Result<Option.Option<Learning.Id>, string> => {
  const identity = identityOf(change, subject)
  const missing = Learning.missingFields(identity)
  if (missing.length > 0) {
    return Result.fail(`This run has no ${missing.join(", ")}, so nothing of this type is learned.`)
  }
  const id = change.type === "decision_log" && change.value.id !== undefined && change.value.id !== ""
    ? Option.some(Learning.Id.make(change.value.id))
    : Learning.idOf(identity)
  return Option.isSome(id) && TextBytes.of(id.value) > maxIdBytes
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
        const learning_id = Option.getOrElse(id, () => Learning.Id.make(subject.newId()))
        const own = change.type === "decision_log" ? { id: learning_id } : {}
        const content: Json.Object = { ...known?.content, ...fields, ...own, created_at, updated_at: at }
        if (Object.values(content).some(isTooLong) || !Learning.isContent(content)) {
          return Result.fail("There is no room for more. Replace or remove something first.")
        }
        const { entity_id, entity_type, learning_type, namespace, user_id } = identity
        return Result.succeed({
          learning_id,
          learning_type,
          namespace: namespace ?? null,
          user_id: (user_id ?? null) as Ids.UserId | null,
          agent_id: subject.agent_id,
          team_id: subject.team_id,
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
