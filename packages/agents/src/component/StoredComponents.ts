// The stored components that runs execute. A run keeps the versions with which it began, so that each node resumes it
// with the same component: also after another version is current, and after the component is removed.
import * as Stored from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Json from "@svc-runtime/domain/Json"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Context, type Effect, Layer, type Option, Schema } from "effect"
import type { Component } from "../factory/Factory.ts"
import type { ConfigProblem } from "./ConfigProblem.ts"
import type { ComponentUnusable } from "./StoredComponentErrors.ts"

interface ComponentRef {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

export interface StoredComponent {
  readonly component: Component
  /** Of `lastKnown`: what has to be so for a run to begin. */
  readonly assumes?: ReadonlyArray<Assumption> | undefined
  /** The versions of the component and of the stored components in it. */
  readonly versions: Stored.Versions
}

export interface ListedComponent {
  readonly stored: Stored.Stored
  /** Undefined if its config names what this service does not have. */
  readonly component: Component | undefined
}

export interface CheckedConfig extends ComponentRef {
  readonly name: string
  readonly config: Json.Object
  readonly links: ReadonlyArray<Stored.Link>
}

/** A version of which a component gives new runs a share. */
export interface SharedVersion {
  readonly version: number
  /** The version counts as long as this one is the current one. */
  readonly base: number
}

type Found = Effect.Effect<Option.Option<StoredComponent>, ComponentUnusable | StorageUnavailable>

export interface ComponentVersions {
  /** For a new run, and as this node has read it last. Undefined: it has not. */
  readonly lastKnown: (ref: ComponentRef, shared?: SharedVersion) => StoredComponent | undefined
  /** For a new run: the current version, or the one that it names or shares. */
  readonly find: (ref: ComponentRef, version: number | SharedVersion | undefined) => Found
  /** For a run that began with these versions. */
  readonly again: (ref: ComponentRef, versions: Stored.Versions) => Found
  /** The components with a current version, newest first, without these. */
  readonly list: (
    kind: ComponentKind.ComponentKind,
    without: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ListedComponent>, StorageUnavailable>
  /** What prevents a config from making a component. A team without members, for example, is not finished yet. */
  readonly check: (config: CheckedConfig) => Effect.Effect<ReadonlyArray<ConfigProblem>, StorageUnavailable>
  /** Whether there is or was such a component. */
  readonly exists: (ref: ComponentRef) => Effect.Effect<boolean, StorageUnavailable>
}

/** The service's own database has them. Undefined: another one does not. */
export class StoredComponents extends Context.Service<StoredComponents, ComponentVersions | undefined>()(
  "@svc-runtime/agents/component/StoredComponents"
) {}

/** Runs execute registered components only. A run of a stored component is not restored. */
export const layerNone: Layer.Layer<StoredComponents> = Layer.succeed(StoredComponents, undefined)

const decodeVersions = Schema.decodeUnknownOption(Stored.Versions)

/** None of a run whose component is registered. */
export const versionsOf = ({ command }: Pick<RunSnapshot, "command">): Option.Option<Stored.Versions> =>
  decodeVersions(command?.["component_versions"])
