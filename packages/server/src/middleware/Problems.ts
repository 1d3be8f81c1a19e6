// From the issues of a schema to the problems of the contract: where, what, and a type that programs can tell apart.
import type { Errors } from "@svc/api"
import { type Schema, SchemaIssue } from "effect"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const typeOf = (issue: SchemaIssue.Issue): string => {
  switch (issue._tag) {
    case "MissingKey":
      return "missing"
    case "Pointer":
    case "Encoding":
    case "Filter":
      return typeOf(issue.issue)
    case "Composite":
    case "AnyOf": {
      const [first] = issue.issues
      return first === undefined ? "type_error" : typeOf(first)
    }
    case "InvalidType":
      return "type_error"
    default:
      return "value_error"
  }
}

/** The leaves of an issue, so that every message keeps the type of what it is about. */
const leaves = (issue: SchemaIssue.Issue): ReadonlyArray<SchemaIssue.Issue> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap(leaves)
    case "Pointer":
      return leaves(issue.issue).map((leaf) => new SchemaIssue.Pointer(issue.path, leaf))
    case "Encoding":
      return leaves(issue.issue)
    default:
      return [issue]
  }
}

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? key : String(key)
}

const messageOf = (type: string, message: string): string => type === "missing" ? "Field required" : message

/** `part` is the part of the request: `query`, `path` or `body`. */
export const fromSchemaError = (part: string, error: Schema.SchemaError): ReadonlyArray<Errors.Problem> =>
  leaves(error.issue).flatMap((leaf) => {
    const type = typeOf(leaf)
    return format(leaf).issues.slice(0, 1).map((issue) => ({
      loc: [part, ...(issue.path ?? []).map(keyOf)],
      msg: messageOf(type, issue.message),
      type
    }))
  })
