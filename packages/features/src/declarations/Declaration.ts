// What an application declares in code and the service stores, such as schedules. A feature gives the kinds that it
// stores in its `live.ts`, and `Declarations` applies all of them.
import type * as Json from "@svc-runtime/domain/Json"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { type Effect, type Option, Redacted, Result, Schema, SchemaIssue } from "effect"
import { createHash } from "node:crypto"

export const KindName = Schema.Literals([
  "schedule",
  "webhook",
  "dataset",
  "service_account",
  "folder",
  "budget",
  "role",
  "prompt"
])
export type KindName = typeof KindName.Type

/** As a declaration is stored. */
export const Stored = Schema.Struct({
  kind: KindName,
  name: Schema.String,
  /** The id of the resource. */
  id: Schema.String,
  /** Null: it is declared no more, and its resource was kept. */
  hash: Schema.NullOr(Schema.String)
})
export type Stored = typeof Stored.Type

/** A declaration does not fit what is stored, such as a name that a request has taken. */
export class DeclarationRefused extends Schema.TaggedError<DeclarationRefused>()("DeclarationRefused", {
  message: Schema.String
}) {}

type Failure = DeclarationRefused | StorageUnavailable

export interface Item {
  readonly name: string
  /** All that is stored of it. Secrets are in it as hashes. */
  readonly content: Json.Value
  /** Gives the id of the new resource. */
  readonly create: Effect.Effect<string, Failure>
  /** Gives the id, which can be another one. None: the resource is gone, and is created anew. */
  readonly change: (id: string) => Effect.Effect<Option.Option<string>, Failure>
}

export interface Kind {
  readonly kind: KindName
  readonly items: ReadonlyArray<Item>
  /** Why declarations cannot be used: sentences that name them. */
  readonly problems: ReadonlyArray<string>
  /** Of a resource that is declared no more. False: it has records, and is kept without effect. */
  readonly remove: (id: string) => Effect.Effect<boolean, Failure>
  /** After changes are stored. */
  readonly changed?: Effect.Effect<void, StorageUnavailable> | undefined
  /** What takes longer than a start may, and is done while the declarations are in force. */
  readonly loaded?: Effect.Effect<void, StorageUnavailable> | undefined
}

const sorted = (value: Json.Value): Json.Value => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value as Json.Object).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.toSorted(([left], [right]) => left < right ? -1 : 1).map(([key, inner]) => [key, sorted(inner)])
  )
}

export const sha256 = (text: string | Uint8Array): string => createHash("sha256").update(text).digest("hex")

export const hashOf = ({ content }: Pick<Item, "content">): string => sha256(JSON.stringify(sorted(content)))

/** Of all declarations of an application. */
export const setHashOf = (kinds: ReadonlyArray<Kind>): string =>
  sha256(
    kinds.flatMap(({ items, kind }) => items.map((item) => JSON.stringify([kind, item.name, hashOf(item)])))
      .toSorted().join("\n")
  )

/** The names that several declarations of one kind have. */
export const twice = (names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(names.filter((name, index) => names.indexOf(name) !== index))
]

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

/** Gives the value, or a sentence. `names` are the options of the fields that are called otherwise in code. */
export const decoderOf = <S extends Schema.Decoder<unknown>>(
  schema: S,
  names: Readonly<Record<string, string>> = {}
) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  const texts = ({ issue }: Schema.SchemaError) =>
    issuesOf(issue).issues.map(({ message, path = [] }) =>
      `${path.map((key) => names[String(key)] ?? String(key)).join(".")}: ${message}`
    ).join("; ")
  return (value: unknown): Result.Result<S["Type"], string> => Result.mapError(decode(value), texts)
}

/** A secret of the environment. */
export const redacted = (secret: string | Redacted.Redacted | undefined): Redacted.Redacted | undefined =>
  typeof secret === "string" ? Redacted.make(secret) : secret
