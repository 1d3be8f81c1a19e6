// Why a config makes no component.
import * as ValidationProblems from "@svc-runtime/domain/schema/ValidationProblems"
import { Schema } from "effect"

export const ConfigProblem = Schema.Struct({
  /** In the config. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String,
  /** That of a validation error, if a schema refuses the value. */
  type: Schema.optionalKey(Schema.String)
})
export type ConfigProblem = typeof ConfigProblem.Type

export const ofSchema = (error: Schema.SchemaError): ReadonlyArray<ConfigProblem> =>
  ValidationProblems.ofSchemaError(error).map(({ loc, msg, type }) => ({ path: loc, message: msg, type }))

/** The problem of an option that `Agent.make`, `Team.make` or `Workflow.make` refuses. */
export const ofError = (error: unknown): ReadonlyArray<ConfigProblem> => [
  { path: [], message: error instanceof Error ? error.message : String(error) }
]

/** The problems in one line. */
export const textOf = (problems: ReadonlyArray<ConfigProblem>): string =>
  problems.map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`).join("; ")
