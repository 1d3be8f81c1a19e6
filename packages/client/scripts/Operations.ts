// The operations of the API's document, as methods of resources.
import type { Schema } from "./JsonSchema.ts"
import { camelCase, isOfRuns, methodName, type named } from "./Names.ts"

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
}

export interface Operation {
  readonly operationId: string
  readonly [named]?: string
  readonly summary: string
  readonly description: string
  readonly tags: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export const pascal = (name: string): string => name.charAt(0).toUpperCase() + camelCase(name).slice(1)

export interface Method {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export const methodsOf = (document: Document): ReadonlyArray<Method> =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    isOfRuns(path) ? [] : Object.entries(operations).map(([method, operation]) => ({
      group: camelCase(operation.tags[0] ?? "system"),
      name: methodName(operation, method, path),
      method,
      path,
      operation
    }))
  )

export const successOf = ({ responses }: Operation) =>
  Object.entries(responses).filter(([status]) => status.startsWith("2")).map(([, { content = {} }]) => content)

/** `j` for JSON, `f` for a form that can have files, `n` for lines of JSON; none without a body. */
export const bodyOf = ({ requestBody }: Operation): "" | "f" | "j" | "n" => {
  const types = Object.keys(requestBody?.content ?? {})
  if (types.includes("multipart/form-data")) return "f"
  return types.includes("application/json") ? "j" : types.length > 0 ? "n" : ""
}

export const queryName = ({ operation }: Method): string => `${pascal(operation.operationId)}Query`

export const queryOf = ({ operation }: Method) => (operation.parameters ?? []).filter((each) => each.in === "query")

export const grouped = (methods: ReadonlyArray<Method>): ReadonlyMap<string, ReadonlyArray<Method>> =>
  Map.groupBy(methods, ({ group }) => group)
