// Where stored components are kept, with the versions of their configs. Changes of one component are made one after the
// other. What is removed keeps its id or its number, and runs that began with it can still read it.
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Json from "@svc-runtime/domain/Json"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import type { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { Context, type Effect, type Option, Schema } from "effect"
import type {
  ChangeError,
  ComponentIdTaken,
  ConfigNotFound,
  ConfigRejected,
  StoredComponentNotFound
} from "./StoredComponentErrors.ts"

/** Its first version is the current one if it is published. */
export interface NewComponent {
  readonly component_id: Component.Id
  readonly component_type: ComponentKind.ComponentKind
  readonly name: string
  readonly description: string | null
  readonly metadata: Json.Object | null
  readonly config: Omit<Component.StoredConfig, "component_id" | "version" | "created_at" | "updated_at">
  readonly at: Time.EpochSeconds
}

/** A field that is left out stays as it is. */
export interface Fields {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly component_type?: ComponentKind.ComponentKind | undefined
  readonly metadata?: Json.Object | undefined
}

interface ConfigFields {
  readonly label?: string | undefined
  readonly stage?: Component.Stage | undefined
  /** A version that is published becomes the current one, unless this is false. */
  readonly setCurrent?: boolean | undefined
  readonly notes?: string | undefined
  /** They replace the links that there are. */
  readonly links?: ReadonlyArray<Component.Link> | undefined
}

/** A field that is left out stays as it is. A new version is a draft then. */
export type ConfigChange =
  | ConfigFields & { readonly version?: undefined; readonly config: Json.Object }
  | ConfigFields & { readonly version: number; readonly config?: Json.Object | undefined }

export interface Change {
  readonly at: Time.EpochSeconds
  /** The change is refused if the component has another revision. */
  readonly revision?: number | undefined
  readonly fields?: Fields | undefined
  /** The published version that becomes the current one. */
  readonly current?: number | undefined
  readonly config?: ConfigChange | undefined
}

export interface Changed {
  readonly component: Component.Stored
  /** If the change has one. */
  readonly config: Component.StoredConfig | undefined
}

export interface ComponentFilter {
  readonly component_type?: ComponentKind.ComponentKind | undefined
  /** Only components with a current version. */
  readonly isPublished?: boolean | undefined
  /** These are left out. */
  readonly without: ReadonlyArray<string>
}

export interface ComponentPage {
  readonly components: ReadonlyArray<Component.Stored>
  readonly total: number
}

/** What leads from the id of a component to its current version. */
export type Head = Pick<Component.Stored, "component_id" | "component_type" | "current_version" | "name">

export interface VersionKey {
  readonly id: Component.Id
  readonly version: number
}

/** A version with what its component has. */
export interface Definition {
  readonly component: Component.Stored
  readonly config: Component.StoredConfig
  /** The component or the version is removed: no new run begins with it. */
  readonly isRemoved: boolean
}

export const Instructed = Schema.Struct({
  component_id: Component.Id,
  component_type: ComponentKind.ComponentKind,
  version: Schema.Int,
  instructions: Json.Value
})
export type Instructed = typeof Instructed.Type

export class ComponentStore extends Context.Service<ComponentStore, {
  readonly create: (component: NewComponent) => Effect.Effect<Component.Stored, ComponentIdTaken | StorageUnavailable>
  /** One statement by its key, because each run of a stored component executes it. */
  readonly find: (id: Component.Id) => Effect.Effect<Option.Option<Component.Stored>, StorageUnavailable>
  /** In one statement. Missing ones are left out. */
  readonly heads: (ids: ReadonlyArray<Component.Id>) => Effect.Effect<ReadonlyArray<Head>, StorageUnavailable>
  /** Newest first, then by id. */
  readonly list: (
    filter: ComponentFilter,
    page: Pagination.Request
  ) => Effect.Effect<ComponentPage, StorageUnavailable>
  /**
   * The change is made if `check` succeeds. Changes with one are made one after the other, for all components, so that
   * none of them misses what another one stores.
   */
  readonly change: <E = never>(
    id: Component.Id,
    change: Change,
    check?: Effect.Effect<void, E>
  ) => Effect.Effect<Changed, ChangeError | E | StorageUnavailable>
  /** No other change of the component is made before the effect has ended. It can change the component itself. */
  readonly alone: <A, E>(id: Component.Id, use: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>
  /** Succeeds for a removed component, too. False if there never was one. */
  readonly remove: (id: Component.Id, at: Time.EpochSeconds) => Effect.Effect<boolean, StorageUnavailable>
  /** The newest version first. */
  readonly versions: (
    id: Component.Id
  ) => Effect.Effect<ReadonlyArray<Component.StoredVersion>, StorageUnavailable>
  /** The newest version first. */
  readonly configs: (
    id: Component.Id
  ) => Effect.Effect<ReadonlyArray<Component.StoredConfig>, ResponseTooLarge | StorageUnavailable>
  /** A version; if none is named, the current one, or else the highest. */
  readonly config: (
    id: Component.Id,
    version: number | undefined
  ) => Effect.Effect<Option.Option<Component.StoredConfig>, StorageUnavailable>
  readonly removeConfig: (
    id: Component.Id,
    version: number,
    at: Time.EpochSeconds
  ) => Effect.Effect<void, StoredComponentNotFound | ConfigNotFound | ConfigRejected | StorageUnavailable>
  /** What runs are made of. Also of removed components and versions. */
  readonly definition: (
    id: Component.Id,
    version: number
  ) => Effect.Effect<Option.Option<Definition>, StorageUnavailable>
  /** In one statement and in this order: the first ones, of this many bytes, and one more. */
  readonly definitions: (
    keys: ReadonlyArray<VersionKey>,
    bytes: number
  ) => Effect.Effect<ReadonlyArray<Definition>, StorageUnavailable>
  /** The instructions of published versions that have this text in them. */
  readonly instructed: (part: string) => Effect.Effect<ReadonlyArray<Instructed>, StorageUnavailable>
  /** In one statement: which of the versions there are. */
  readonly present: (keys: ReadonlyArray<VersionKey>) => Effect.Effect<ReadonlyArray<VersionKey>, StorageUnavailable>
}>()("@svc-runtime/agents/component/ComponentStore") {}
