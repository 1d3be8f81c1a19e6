// The rules of a change of a stored component, for all stores.
import * as Component from "@svc-runtime/domain/Component"
import { Result } from "effect"
import type { Change, Changed, ConfigChange, NewComponent } from "./ComponentStore.ts"
import { type ChangeError, ComponentChanged, ConfigNotFound, ConfigRejected } from "./StoredComponentErrors.ts"

/** A new component and its first version. */
export const begin = ({ at, config, ...fields }: NewComponent) => ({
  component: {
    ...fields,
    current_version: config.stage === "published" ? 1 : null,
    last_version: 1,
    revision: 1,
    created_at: at,
    updated_at: null
  },
  config: { ...config, component_id: fields.component_id, version: 1, created_at: at, updated_at: null }
})

/** What a change depends on. Nothing else changes the component meanwhile. */
export interface Subject {
  readonly component: Component.Stored
  /** The number of its versions. */
  readonly versions: number
  /** The version that changes. */
  readonly config: Component.StoredConfig | undefined
  /** The version that has the label of the change. */
  readonly labelled: number | undefined
  /** The stage of the version that becomes the current one. */
  readonly stage: Component.Stage | undefined
}

const added = (
  { component, versions }: Subject,
  { config, label, links, notes, stage }: ConfigChange & { readonly version?: undefined },
  at: number
): Result.Result<Component.StoredConfig, ConfigRejected> =>
  versions >= Component.maxVersions
    ? Result.fail(new ConfigRejected({ reason: "full", id: component.component_id }))
    : Result.succeed({
      component_id: component.component_id,
      version: component.last_version + 1,
      label: label ?? null,
      stage: stage ?? "draft",
      config,
      links: links ?? [],
      notes: notes ?? null,
      created_at: at,
      updated_at: null
    })

const replaced = (
  { component: { component_id: id }, config: before }: Subject,
  { config, label, links, notes, stage, version }: ConfigChange & { readonly version: number },
  at: number
): Result.Result<Component.StoredConfig, ChangeError> => {
  if (before === undefined) return Result.fail(new ConfigNotFound({ id, version }))
  if (before.stage === "published") return Result.fail(new ConfigRejected({ reason: "published", id, version }))
  return Result.succeed({
    ...before,
    config: config ?? before.config,
    label: label ?? before.label,
    stage: stage ?? before.stage,
    links: links ?? before.links,
    notes: notes ?? before.notes,
    updated_at: at
  })
}

const configOf = (
  subject: Subject,
  change: ConfigChange,
  at: number
): Result.Result<Component.StoredConfig, ChangeError> => {
  const { component: { component_id: id }, labelled } = subject
  const { label, version } = change
  if (label !== undefined && labelled !== undefined && labelled !== version) {
    return Result.fail(new ConfigRejected({ reason: "label", id, label }))
  }
  return change.version === undefined ? added(subject, change, at) : replaced(subject, change, at)
}

const currentOf = (
  { component: { component_id: id }, stage }: Subject,
  version: number
): Result.Result<number, ChangeError> => {
  if (stage === undefined) return Result.fail(new ConfigNotFound({ id, version }))
  return stage === "draft" ? Result.fail(new ConfigRejected({ reason: "draft", id, version })) : Result.succeed(version)
}

export const apply = (
  subject: Subject,
  { at, config: configChange, current, fields, revision }: Change
): Result.Result<Changed, ChangeError> =>
  Result.gen(function*() {
    const { component } = subject
    if (revision !== undefined && revision !== component.revision) {
      return yield* Result.fail(new ComponentChanged({ id: component.component_id }))
    }
    const config = configChange === undefined ? undefined : yield* configOf(subject, configChange, at)
    const named = current === undefined ? undefined : yield* currentOf(subject, current)
    const published = config?.stage === "published" && configChange?.setCurrent !== false ? config.version : undefined
    return {
      config,
      component: {
        ...component,
        name: fields?.name ?? component.name,
        description: fields?.description ?? component.description,
        component_type: fields?.component_type ?? component.component_type,
        metadata: fields?.metadata ?? component.metadata,
        current_version: named ?? published ?? component.current_version,
        last_version: Math.max(component.last_version, config?.version ?? 0),
        revision: component.revision + 1,
        updated_at: at
      }
    }
  })
