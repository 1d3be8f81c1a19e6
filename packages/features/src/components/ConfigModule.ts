// What is particular to the configs of a kind of component. The config of each kind declares one module.
import * as ConfigProblem from "@svc-runtime/agents/component/ConfigProblem"
import type { AnyComponent } from "@svc-runtime/agents/runService/Components"
import type * as Json from "@svc-runtime/domain/Json"
import { Result, Schema } from "effect"
import type { ResourceNames } from "../registry/ResourceNames.ts"
import type { Children, Reference } from "./ConfigReferences.ts"

/** What a component has beside its config. */
export interface Identity {
  readonly id: string
  /** The name of the component. A name in the config has priority. */
  readonly name: string
}

export interface ConfigModule<C extends AnyComponent = AnyComponent> {
  /** The values of wrong types, and the unknown keys. */
  readonly check: (config: Json.Object) => ReadonlyArray<ConfigProblem.ConfigProblem>
  /** The components that a config names. None if the config is invalid. */
  readonly references: (config: Json.Object) => ReadonlyArray<Reference>
  /** The component that a config describes, or all problems of the config. */
  readonly resolve: (
    names: ResourceNames,
    identity: Identity,
    config: Json.Object,
    children: Children
  ) => Result.Result<C, ReadonlyArray<ConfigProblem.ConfigProblem>>
}

export const checkWith = (schema: Schema.Decoder<unknown>): ConfigModule["check"] => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (config) => Result.match(decode(config), { onFailure: ConfigProblem.ofSchema, onSuccess: () => [] })
}
