// Stored components: agents, teams and workflows whose configs have numbered versions. A published version never
// changes, and one published version is the current one.
import { Option, Schema } from "effect"
import * as ComponentKind from "./ComponentKind.ts"
import { exact } from "./Ids.ts"
import * as Json from "./Json.ts"
import { notEmpty } from "./NonEmptyText.ts"
import { optional } from "./schema/optional.ts"
import { EpochSeconds } from "./Time.ts"

export const Id = Schema.String.pipe(Schema.brand("ComponentId"))
export type Id = typeof Id.Type

/** Versions of a component, without the removed ones. */
export const maxVersions = 1000

/** The range of integers in databases. A number without a version is not found. */
export const isVersion = [Schema.isGreaterThanOrEqualTo(0), Schema.isLessThanOrEqualTo(2_147_483_647)] as const

const maxIdLength = 255
// a url that ends in one or two dots means another place
const urlId = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/
const maxMetadata = 64 * 1024

/** Components are addressed by their ids, also as runs. */
export const IdInput = Id.check(
  Schema.isMaxLength(maxIdLength),
  Schema.isPattern(urlId, {
    message: "Input should have letters, digits, '.', '_', '~' and '-' only",
    problem: "string_pattern_mismatch"
  })
)

const Name = Schema.String.check(notEmpty, Schema.isMaxLength(255))
const Description = Schema.String.check(Schema.isMaxLength(10_000))
const Label = Schema.String.check(notEmpty, Schema.isMaxLength(255), exact)
const Notes = Schema.String.check(Schema.isMaxLength(10_000))
const Metadata = Json.Input.check(
  Schema.makeFilter<Json.Object>((value) => JSON.stringify(value).length <= maxMetadata, {
    message: `Input should have at most ${maxMetadata} characters as JSON`,
    problem: "json_too_long"
  })
)

export const Stage = Schema.Literals(["draft", "published"])
export type Stage = typeof Stage.Type

export const Link = Schema.Struct({
  link_kind: Schema.String,
  link_key: Schema.String,
  child_component_id: Id,
  child_version: Schema.Int,
  position: Schema.Int,
  meta: Schema.NullOr(Json.Object)
})
export type Link = typeof Link.Type

/** The config of a draft, which can change while a run executes it. */
const Draft = Schema.Struct({ name: Schema.String, config: Json.Object, links: Schema.Array(Link) })
export type Draft = typeof Draft.Type

/** With what a run of a stored component began. */
export const Versions = Schema.Struct({
  /** By the ids of components. */
  numbers: Schema.Record(Schema.String, Schema.Int),
  /** The draft of the component itself. A published version has none. */
  draft: Schema.optionalKey(Draft)
})
export type Versions = typeof Versions.Type

const LinkText = Schema.String.check(notEmpty, Schema.isMaxLength(255), exact)

export const LinkInput = Schema.Struct({
  link_kind: LinkText,
  link_key: LinkText,
  child_component_id: Id,
  /** Links without it are refused. */
  child_version: optional(Schema.Int.check(...isVersion)),
  position: optional(Schema.Int),
  meta: optional(Json.Input)
}).annotate({ identifier: "ComponentLink" })
export type LinkInput = typeof LinkInput.Type

const Links = Schema.Array(LinkInput).check(Schema.isMaxLength(1000))

export const Create = Schema.Struct({
  name: Name,
  component_type: ComponentKind.ComponentKind,
  /** Made of the name when left out. */
  component_id: optional(IdInput),
  description: optional(Description),
  metadata: optional(Metadata),
  config: optional(Json.Input),
  label: optional(Label),
  /** `draft` or `published`. */
  stage: optional(Schema.String),
  notes: optional(Notes)
}).annotate({ identifier: "ComponentCreate" })
export type Create = typeof Create.Type

/** A field that is null stays as it is. */
export const Patch = Schema.Struct({
  name: optional(Name),
  description: optional(Description),
  component_type: optional(Schema.String),
  metadata: optional(Metadata),
  /** A published version. */
  current_version: optional(Schema.Int.check(...isVersion))
}).annotate({ identifier: "ComponentUpdate" })
export type Patch = typeof Patch.Type

const version = {
  label: optional(Label),
  /** `draft` or `published`. */
  stage: optional(Schema.String),
  notes: optional(Notes),
  /** They replace all links of the version. */
  links: optional(Links)
}

export const ConfigCreate = Schema.Struct({
  config: Json.Input,
  ...version,
  /** Whether a version that is published becomes the current one. */
  set_current: optional(Schema.Boolean)
}).annotate({ identifier: "ConfigCreate" })
export type ConfigCreate = typeof ConfigCreate.Type

/** A field that is null stays as it is. */
export const ConfigPatch = Schema.Struct({
  config: optional(Json.Input),
  ...version,
  set_current: optional(Schema.Boolean)
}).annotate({ identifier: "ConfigUpdate" })
export type ConfigPatch = typeof ConfigPatch.Type

/** In a database. */
export const Stored = Schema.Struct({
  component_id: Id,
  component_type: ComponentKind.ComponentKind,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  metadata: Schema.NullOr(Json.Object),
  /** Null while no version is published. */
  current_version: Schema.NullOr(Schema.Int),
  /** The highest version that it ever had. */
  last_version: Schema.Int,
  /** Rises with each change of the component or of one of its versions. */
  revision: Schema.Int,
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds)
})
export type Stored = typeof Stored.Type

const described = {
  component_id: Id,
  version: Schema.Int,
  label: Schema.NullOr(Schema.String),
  stage: Stage,
  notes: Schema.NullOr(Schema.String),
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds)
}

/** A version without its config. */
export const StoredVersion = Schema.Struct(described)
export type StoredVersion = typeof StoredVersion.Type

/** A version. */
export const StoredConfig = Schema.Struct({ ...described, config: Json.Object, links: Schema.Array(Link) })
export type StoredConfig = typeof StoredConfig.Type

const text = Schema.optionalKey(Schema.String)
const time = Schema.optionalKey(EpochSeconds)

export const Component = Schema.Struct({
  component_id: Id,
  component_type: ComponentKind.ComponentKind,
  name: text,
  description: text,
  current_version: Schema.optionalKey(Schema.Int),
  metadata: Schema.optionalKey(Json.Object),
  created_at: EpochSeconds,
  updated_at: time
}).annotate({ identifier: "ComponentResponse" })
export type Component = typeof Component.Type

export const Config = Schema.Struct({
  component_id: Id,
  version: Schema.Int,
  label: text,
  stage: Stage,
  config: Schema.optionalKey(Json.Object),
  notes: text,
  created_at: EpochSeconds,
  updated_at: time
}).annotate({ identifier: "ComponentConfigResponse" })
export type Config = typeof Config.Type

type Shown<A> = { readonly [K in keyof A]: Exclude<A[K], null> }

const shown = <A extends object>(fields: A): Partial<Shown<A>> => Json.withoutNulls(fields) as Partial<Shown<A>>

export const toComponent = (
  { component_id, component_type, created_at, current_version, description, metadata, name, updated_at }: Stored
): Component => ({
  component_id,
  component_type,
  created_at,
  ...shown({ name, description, current_version, metadata, updated_at })
})

export const toConfig = (
  { component_id, created_at, label, notes, stage, updated_at, version, ...rest }: StoredVersion | StoredConfig
): Config => ({
  component_id,
  version,
  stage,
  created_at,
  ...shown({ label, notes, updated_at }),
  ...("config" in rest ? { config: rest.config } : {})
})

/** The id for a name, if at least one of its characters can be in an id. */
export const idOfName = (name: string): Option.Option<Id> => {
  const id = name.toLowerCase().replaceAll(/[ _]/g, "-").replaceAll(/[^a-z0-9.~-]/g, "").slice(0, maxIdLength)
  return urlId.test(id) ? Option.some(Id.make(id)) : Option.none()
}

export const parseStage: (text: string) => Option.Option<Stage> = Schema.decodeUnknownOption(Stage)

const definition = {
  description: optional(Description),
  metadata: optional(Metadata),
  label: optional(Label),
  /** `published` when left out. */
  stage: optional(Schema.String),
  notes: optional(Notes)
}

/** The other fields are the config. */
export const DefinitionCreate = Schema.StructWithRest(
  Schema.Struct({ id: optional(IdInput), name: Name, ...definition }),
  [Json.Object]
).annotate({ identifier: "ComponentDefinition" })
export type DefinitionCreate = typeof DefinitionCreate.Type

/** The other fields change the config: null removes one. */
export const DefinitionPatch = Schema.StructWithRest(
  Schema.Struct({ name: optional(Name), ...definition, set_current: optional(Schema.Boolean) }),
  [Json.Object]
).annotate({ identifier: "ComponentDefinitionPatch" })
export type DefinitionPatch = typeof DefinitionPatch.Type

/** A component, and the version that the request made or changed. */
export const Defined = Schema.Struct({ id: Id, ...Component.fields, version: Schema.Int, stage: Stage })
  .annotate({ identifier: "DefinedComponent" })
export type Defined = typeof Defined.Type
