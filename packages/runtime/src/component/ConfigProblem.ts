// Why a config makes no component.
import { Schema, SchemaIssue } from "effect"

export const ConfigProblem = Schema.Struct({
  /** In the config. */
  path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
  message: Schema.String
})
export type ConfigProblem = typeof ConfigProblem.Type

const toIssues = SchemaIssue.makeFormatterStandardSchemaV1()

const keysOf = (path: ReadonlyArray<unknown> | undefined): ConfigProblem["path"] =>
  (path ?? []).map((key) => typeof key === "number" ? key : String(key))

export const ofSchema = ({ issue }: Schema.SchemaError): ReadonlyArray<ConfigProblem> =>
  toIssues(issue).issues.map(({ message, path }) => ({ path: keysOf(path), message }))

/** The problem of an option that `Agent.make`, `Team.make` or `Workflow.make` refuses. */
export const ofError = (error: unknown): ReadonlyArray<ConfigProblem> => [
  { path: [], message: error instanceof Error ? error.message : String(error) }
]

/** The problems in one line. */
export const textOf = (problems: ReadonlyArray<ConfigProblem>): string =>
  problems.map(({ message, path }) => path.length === 0 ? message : `${path.join(".")}: ${message}`).join("; ")
