// The components and factories of every kind, by id: registered ones, and then stored ones.
import type * as Stored from "@svc-runtime/domain/Component"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Assumption } from "@svc-runtime/engine/ComponentPrecondition"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option, Record } from "effect"
import { type Agent, isAgent } from "../agent/define/Agent.ts"
import type { ComponentUnusable } from "../component/StoredComponentErrors.ts"
import {
  type ComponentVersions,
  type SharedVersion,
  type StoredComponent,
  StoredComponents,
  versionsOf
} from "../component/StoredComponents.ts"
import type { Factory } from "../factory/Factory.ts"
import { registries } from "../modules/ComponentModules.ts"
import { isTeam, type Team } from "../team/Team.ts"
import type { AnyWorkflow } from "../workflow/define/Node.ts"
import { isWorkflow } from "../workflow/Workflow.ts"
import { ComponentNotFound } from "./RunServiceErrors.ts"

export type AnyComponent = Agent | Team | AnyWorkflow
export type Registered = AnyComponent | Factory<AnyComponent>

export interface ComponentRef {
  readonly kind: ComponentKind.ComponentKind
  readonly id: string
}

export interface Found {
  readonly registered: Registered
  /** The versions of a stored component. */
  readonly component_versions?: Stored.Versions | undefined
  /** What was not read for it. */
  readonly assumes?: ReadonlyArray<Assumption> | undefined
}

type Finding = Effect.Effect<Found, ComponentNotFound | ComponentUnusable | StorageUnavailable>

export interface Parts {
  readonly registered: Readonly<Record<ComponentKind.ComponentKind, ReadonlyArray<Registered>>>
  readonly stored: ComponentVersions | undefined
}

export interface Components {
  /** For a new run, as `StoredComponents.lastKnown`. */
  readonly lastKnown: (ref: ComponentRef, shared?: SharedVersion) => Found | undefined
  /** For a new run. A registered component has no versions, and ignores the one that is named. */
  readonly find: (ref: ComponentRef, version?: number | SharedVersion) => Finding
  /** The failure of `find`. */
  readonly notFound: (ref: ComponentRef, version?: number) => Effect.Effect<never, ComponentNotFound>
  /** For a stored run that is resumed. */
  readonly ofRun: (run: Pick<RunSnapshot, "command" | "component_id" | "kind">) => Finding
  /** With the versions with which it began. */
  readonly again: (ref: ComponentRef, versions: Stored.Versions) => Finding
  readonly registered: (ref: ComponentRef) => Registered | undefined
  /** Succeeds for removed components, too: their runs are kept. */
  readonly known: (ref: ComponentRef) => Effect.Effect<void, ComponentNotFound | StorageUnavailable>
}

const byId = (registered: ReadonlyArray<Registered>) =>
  new Map<string, Registered>(registered.map((each) => [each.id, each]))

export const isComponent = (value: unknown): value is AnyComponent =>
  isAgent(value) || isTeam(value) || isWorkflow(value)

export const make = ({ registered: given, stored }: Parts): Components => {
  const components = Record.map(given, byId)
  const registered = ({ id, kind }: ComponentRef) => components[kind].get(id)
  const notFound = ({ id, kind }: ComponentRef, version?: number) =>
    Effect.fail(new ComponentNotFound({ kind, id, version, known: [...components[kind].keys()] }))
  const foundOf = (ref: ComponentRef, found: Option.Option<StoredComponent>, version?: number): Finding => {
    if (Option.isNone(found)) return notFound(ref, version)
    const { component, versions } = found.value
    return isComponent(component)
      ? Effect.succeed({ registered: component, component_versions: versions })
      : notFound(ref, version)
  }

  const find: Components["find"] = (ref, version) => {
    const found = registered(ref)
    if (found !== undefined) return Effect.succeed({ registered: found })
    return stored === undefined
      ? notFound(ref)
      : Effect.flatMap(
        stored.find(ref, version),
        (found) => foundOf(ref, found, typeof version === "object" ? undefined : version)
      )
  }

  const again: Components["again"] = (ref, versions) =>
    stored === undefined
      ? find(ref)
      : Effect.flatMap(stored.again(ref, versions), (found) => foundOf(ref, found))

  return {
    lastKnown: (ref, shared) => {
      const found = registered(ref) === undefined ? stored?.lastKnown(ref, shared) : undefined
      if (found === undefined || !isComponent(found.component)) return undefined
      const { assumes, component, versions } = found
      return { registered: component, component_versions: versions, assumes }
    },
    find,
    notFound,
    again,
    registered,
    ofRun: (run) => {
      const ref = { kind: run.kind, id: run.component_id }
      return Option.match(versionsOf(run), { onNone: () => find(ref), onSome: (versions) => again(ref, versions) })
    },
    known: (ref) => {
      if (registered(ref) !== undefined) return Effect.void
      return stored === undefined
        ? notFound(ref)
        : Effect.flatMap(stored.exists(ref), (exists) => exists ? Effect.void : notFound(ref))
    }
  }
}

/** Those of the service. */
export const current = Effect.gen(function*() {
  return make({
    registered: Record.map(yield* registries, ({ registered }): ReadonlyArray<Registered> => registered),
    stored: yield* StoredComponents
  })
})
