// Learnings: what agents know about users, sessions, entities and their own decisions. Some types have one record for
// each identity, and that record has an id that is made of the identity.
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import { notEmpty } from "@svc-runtime/domain/NonEmptyText"
import { optional } from "@svc-runtime/domain/schema/optional"
import * as Session from "@svc-runtime/domain/Session"
import * as Tenant from "@svc-runtime/domain/Tenant"
import * as TextBytes from "@svc-runtime/domain/TextBytes"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Option, Schema } from "effect"

export const Id = Schema.String.pipe(Schema.brand("LearningId"))
export type Id = typeof Id.Type

const text = Schema.NullOr(Schema.String)

export const Learning = Schema.Struct({
  learning_id: Id,
  learning_type: Schema.String,
  namespace: text,
  user_id: Schema.NullOr(Ids.UserId),
  agent_id: text,
  team_id: text,
  session_id: Schema.NullOr(Session.Id),
  entity_id: text,
  entity_type: text,
  content: Schema.NullOr(Json.Object),
  metadata: Schema.NullOr(Json.Object),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
}).annotate({ identifier: "Learning" })
export type Learning = typeof Learning.Type

/** Bytes of the JSON text of `content`. */
export const contentLimit = 64 * 1024
/** Bytes of the JSON text of `metadata`. */
export const metadataLimit = 16 * 1024

const bytesOf = (value: Json.Object): number => TextBytes.of(JSON.stringify(value))

/** Whether a content can be stored. */
export const isContent = (value: Json.Object): boolean => Json.isShallow(value) && bytesOf(value) <= contentLimit

const limited = (limit: number) =>
  Json.Input.check(Schema.makeFilter<Json.Object>((value) => bytesOf(value) <= limit, {
    message: `Input should have at most ${limit} bytes of JSON`,
    problem: "too_long"
  }))

const Content = limited(contentLimit)
const Metadata = limited(metadataLimit)

/** The ids of identities are parts of a key of an index, so they are shorter than other ids. */
const short = (length: number) => Schema.String.check(Schema.isMaxLength(length), Ids.exact)
export const Create = Schema.Struct({
  learning_type: short(128).check(notEmpty),
  content: Content,
  namespace: optional(short(128)),
  user_id: optional(Ids.UserIdInput),
  agent_id: optional(Ids.IdInput),
  team_id: optional(Ids.IdInput),
  session_id: optional(Ids.IdInput),
  entity_id: optional(short(256)),
  entity_type: optional(short(128)),
  metadata: optional(Metadata)
}).annotate({ identifier: "LearningCreate" })
export type Create = typeof Create.Type

/** A given field replaces the stored one. A null `content` is refused by the handler, which says so. */
export const Patch = Schema.Struct({
  content: optional(Content),
  metadata: optional(Metadata)
}).annotate({ identifier: "LearningPatch" })
export type Patch = typeof Patch.Type

export const User = Schema.Struct({
  user_id: Ids.UserId,
  last_learning_updated_at: Schema.NullOr(EpochSeconds)
}).annotate({ identifier: "LearningUser" })
export type User = typeof User.Type

export interface Identity {
  readonly learning_type: string
  readonly namespace?: string | null | undefined
  readonly user_id?: string | null | undefined
  readonly session_id?: string | null | undefined
  readonly entity_id?: string | null | undefined
  readonly entity_type?: string | null | undefined
}

/** The fields that identify the one record of a type. */
const identities: ReadonlyMap<string, ReadonlyArray<"user_id" | "session_id" | "entity_type" | "entity_id">> = new Map([
  ["user_profile", ["user_id"]],
  ["user_memory", ["user_id"]],
  ["session_context", ["session_id"]],
  ["entity_memory", ["entity_type", "entity_id"]]
])

export const globalNamespace = "global"

const isMissing = (value: string | null | undefined): boolean => value === undefined || value === null || value === ""

/** The fields that the type needs and the identity does not have. */
export const missingFields = (identity: Identity): ReadonlyArray<string> =>
  (identities.get(identity.learning_type) ?? []).filter((field) => isMissing(identity[field]))

/** The namespaces of users are reserved. */
const userPrefix = "user:"

/** A namespace in an id. The namespace of one user is not the beginning of another's: it has no separator. */
const partOf = (namespace: string | null | undefined): string => {
  if (namespace === undefined || namespace === null || namespace === "") return globalNamespace
  return namespace.startsWith(userPrefix) ? namespace.replaceAll("=", "=3D").replaceAll("_", "=5F") : namespace
}

/** The id of the one record of an identity. None for types of which there can be many. */
export const idOf = (identity: Identity): Option.Option<Id> => {
  const { entity_id, entity_type, learning_type, namespace, session_id, user_id } = identity
  switch (learning_type) {
    case "user_profile":
      return Option.some(Id.make(`user_profile_${user_id}`))
    case "user_memory":
      return Option.some(Id.make(`memories_${user_id}`))
    case "session_context":
      return Option.some(Id.make(`session_context_${session_id}`))
    case "entity_memory":
      return Option.some(Id.make(`entity_${partOf(namespace)}_${entity_type}_${entity_id}`))
    default:
      return Option.none()
  }
}

/** The namespace in which the learnings of one user are. */
export const namespaceOf = (user_id: Ids.UserId): string => `${userPrefix}${user_id}`

/** Whether agents find a learning in a namespace. One without a namespace is in the global one. */
export const isIn = (namespace: string, learning: Pick<Learning, "namespace">): boolean =>
  (learning.namespace ?? globalNamespace) === namespace

/** Whether the namespace is that of another user. */
export const isNamespaceOfOther = (namespace: string | null | undefined, user_id: Ids.UserId | undefined): boolean =>
  namespace?.startsWith(userPrefix) === true && (user_id === undefined || namespace !== namespaceOf(user_id))

/** A filter of lists. Approved are all that are not proposed. */
export const Status = Schema.Literals(["proposed", "approved"])

const proposed = { status: "proposed" } as const

/** A proposed learning is stored, and no agent uses it until a person approves it. */
export const isProposed = ({ metadata }: Pick<Learning, "metadata">): boolean =>
  metadata?.["status"] === proposed.status

export const asProposed = (metadata: Json.Object | null): Json.Object => ({ ...metadata, ...proposed })

/** Whether all users read what has this owner: those of the service, or those of a tenant. */
export const isShared = (user_id: Ids.UserId | null): boolean => user_id === null || Tenant.named(user_id) !== undefined

/** Who is counted for a proposal without an owner. Null: it is none, or it is not known who proposed it. */
export const proposerOf = (learning: Learning, by: Ids.UserId | null | undefined): Ids.UserId | null =>
  isShared(learning.user_id) && isProposed(learning) ? by ?? null : null
