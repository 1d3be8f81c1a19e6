// Errors of stored components.
import * as Component from "@svc-runtime/domain/Component"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Schema } from "effect"
import { ConfigProblem, textOf } from "./ConfigProblem.ts"

export class StoredComponentNotFound extends Schema.TaggedError<StoredComponentNotFound>()("StoredComponentNotFound", {
  id: Component.Id
}) {
  override get message() {
    return `Component ${this.id} not found`
  }
}

export class ConfigNotFound extends Schema.TaggedError<ConfigNotFound>()("ConfigNotFound", {
  id: Component.Id,
  version: Schema.Int
}) {
  override get message() {
    return `Config ${this.id} v${this.version} not found`
  }
}

/** Removed components keep their ids. */
export class ComponentIdTaken extends Schema.TaggedError<ComponentIdTaken>()("ComponentIdTaken", {
  id: Component.Id
}) {
  override get message() {
    return `Component ${this.id} already exists`
  }
}

/** Another request changed the component since it was read. */
export class ComponentChanged extends Schema.TaggedError<ComponentChanged>()("ComponentChanged", {
  id: Component.Id
}) {
  override get message() {
    return `Component ${this.id} was changed by another request. Try again`
  }
}

const refusals = {
  published: ({ id, version }: Refusal) => `Cannot update published config ${id} v${version}`,
  current: ({ id, version }: Refusal) => `Cannot delete current config ${id} v${version}`,
  draft: ({ id, version }: Refusal) =>
    `Cannot set draft config ${id} v${version} as current. Only published configs can be current.`,
  label: ({ id, label }: Refusal) => `Label '${label}' already exists for ${id}`,
  full: ({ id }: Refusal) =>
    `Component ${id} has ${Component.maxVersions} versions, the most that a component can have. Delete some first`
}

interface Refusal {
  readonly id: Component.Id
  readonly version?: number
  readonly label?: string
}

/** A change that the rules of versions do not allow. */
export class ConfigRejected extends Schema.TaggedError<ConfigRejected>()("ConfigRejected", {
  reason: Schema.Literals(["published", "current", "draft", "label", "full"]),
  id: Component.Id,
  version: Schema.optionalKey(Schema.Int),
  label: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return refusals[this.reason](this)
  }
}

/** The config of a version names what this service does not have. */
export class ComponentUnusable extends Schema.TaggedError<ComponentUnusable>()("ComponentUnusable", {
  kind: ComponentKind.ComponentKind,
  id: Schema.String,
  version: Schema.Int,
  problems: Schema.Array(ConfigProblem)
}) {
  override get message() {
    const { id, kind, problems, version } = this
    return `The ${kind} '${id}' cannot be made of version ${version} of its config: ${textOf(problems)}`
  }
}

export type ChangeError = StoredComponentNotFound | ConfigNotFound | ComponentChanged | ConfigRejected
