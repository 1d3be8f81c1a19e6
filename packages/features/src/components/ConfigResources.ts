// Finds what a config names, and collects what cannot be found with its path.
import type { ConfigProblem } from "@svc-runtime/agents/component/ConfigProblem"
import { modelNameProblem, type ModelRef } from "@svc-runtime/agents/Models"
import * as Json from "@svc-runtime/domain/Json"
import { optional } from "@svc-runtime/domain/schema/optional"
import { Result, Schema } from "effect"
import type { ResourceNames } from "../registry/ResourceNames.ts"

export const Text = Schema.String.check(Schema.isMaxLength(100_000))
export const Name = Schema.String.check(Schema.isMaxLength(255))
export const Seconds = Schema.Natural.check(Schema.isLessThanOrEqualTo(86_400))
export const Count = Schema.Natural.check(Schema.isLessThanOrEqualTo(1_000_000))

/** A name, alone or in an object. */
export const Named = Schema.Union([Name, Schema.Struct({ name: Name })])
type Named = typeof Named.Type
export const Names = Schema.Array(Named).check(Schema.isMaxLength(1000))

/** `provider:model`, or the two apart. */
export const Model = Schema.Union([Name, Schema.Struct({ id: Name, provider: optional(Name) })])
type Model = typeof Model.Type

/** The name of a schema, or a JSON Schema. */
export const SchemaRef = Schema.Union([Name, Json.Object])
type SchemaRef = typeof SchemaRef.Type

/** The service's own database, in which runs of stored components are. */
export const database = { db: optional(Schema.StructWithRest(Schema.Struct({ id: Name }), [Json.Object])) }

type Path = ConfigProblem["path"]
type Find<A> = (name: string) => ReadonlyArray<A>

/**
 * Where a JSON Schema has a regular expression. It can match for minutes and block the node, so only an application may
 * declare one.
 */
const patternIn = (schema: Json.Value, path: Path): Path | undefined => {
  if (typeof schema !== "object" || schema === null) return undefined
  for (const [key, value] of Object.entries(schema)) {
    const here = [...path, key]
    if (key === "patternProperties" || (key === "pattern" && typeof value === "string")) return here
    const found = patternIn(value, here)
    if (found !== undefined) return found
  }
  return undefined
}

const nameOf = (named: Named): string => typeof named === "string" ? named : named.name

export interface ConfigResources {
  readonly problems: ReadonlyArray<ConfigProblem>
  readonly refuse: (path: Path, message: string) => void
  /** The value in a list. The list of a failure is empty, and its problem is added to `problems`. */
  readonly noted: <A>(result: Result.Result<A, ConfigProblem>) => ReadonlyArray<A>
  /** Undefined if the registry has none or several of this name. */
  readonly one: <A>(what: string, find: Find<A>, named: Named, path: Path) => A | undefined
  readonly all: <A>(
    what: string,
    find: Find<A>,
    list: ReadonlyArray<Named> | null | undefined,
    path: Path
  ) => ReadonlyArray<A> | undefined
  readonly model: (model: Model | null | undefined, path: Path) => ModelRef | undefined
  readonly schema: (schema: SchemaRef | null | undefined, path: Path) => Json.Object | undefined
}

export const make = (names: ResourceNames): ConfigResources => {
  const problems: Array<ConfigProblem> = []
  const refuse = (path: Path, message: string) => {
    problems.push({ path, message })
  }

  const one: ConfigResources["one"] = (what, find, named, path) => {
    const name = nameOf(named)
    const found = find(name)
    if (found.length === 0) refuse(path, `There is no ${what} '${name}' in the registry`)
    if (found.length > 1) refuse(path, `The registry has ${found.length} different ${what}s called '${name}'`)
    return found.length === 1 ? found[0] : undefined
  }

  return {
    problems,
    refuse,
    noted: (result) => {
      if (Result.isSuccess(result)) return [result.success]
      problems.push(result.failure)
      return []
    },
    one,
    all: (what, find, list, path) =>
      list?.flatMap((named, index) => {
        const found = one(what, find, named, [...path, index])
        return found === undefined ? [] : [found]
      }),
    model: (model, path) => {
      if (model === null || model === undefined) return undefined
      const { id, provider } = typeof model === "string" ? { id: model, provider: undefined } : model
      const known = names.model(id, provider ?? undefined)
      if (known !== undefined) return known
      const ref = provider === undefined || provider === null ? id : `${provider.toLowerCase()}:${id}`
      const problem = modelNameProblem(ref)
      if (problem !== undefined) refuse(path, problem)
      return ref
    },
    schema: (schema, path) => {
      if (typeof schema === "string") {
        return one("schema", names.schema, schema, path)?.jsonSchema as Json.Object | undefined
      }
      if (schema === null || schema === undefined) return undefined
      const pattern = patternIn(schema, path)
      if (pattern !== undefined) {
        refuse(pattern, "A pattern is not allowed here. Declare the schema in the application, and give its name")
      }
      return schema
    }
  }
}
