// Translates the issues of a schema to the validation errors of the contract: the place, the sentence and the type.
// Clients of the contract expect these types and sentences.
import { type Schema, type SchemaAST, SchemaIssue } from "effect"
import * as NameList from "../NameList.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

interface ProblemText {
  readonly type: string
  readonly msg: string
}

interface Problem extends ProblemText {
  readonly loc: ReadonlyArray<string | number>
}

const missing: ProblemText = { type: "missing", msg: "Field required" }
const unknownKey = (msg = "Extra inputs are not permitted"): ProblemText => ({ type: "extra_forbidden", msg })

/** `'a', 'b' or 'c'` */
const oneOf = (values: ReadonlyArray<string>): string => NameList.all(values, "or")

const literals = (types: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<string> =>
  types.flatMap((type) => type._tag === "Literal" ? [`'${type.literal}'`] : [])

/** The key whose value tells the members of a union apart, with the texts of its values. */
const tagOf = (types: ReadonlyArray<SchemaAST.AST>) => {
  const tags = types.map((type) =>
    type._tag === "Objects"
      ? type.propertySignatures.find(({ type }) => type._tag === "Literal")
      : undefined
  )
  const name = tags[0]?.name
  return types.length > 1 && name !== undefined && tags.every((tag) => tag?.name === name)
    ? { name: String(name), values: literals(tags.flatMap((tag) => tag === undefined ? [] : [tag.type])) }
    : undefined
}

const isInt = ({ checks }: SchemaAST.AST): boolean =>
  checks?.some(({ annotations }) => annotations?.representation?.id === "effect/schema/isInt") === true

const expected = (ast: SchemaAST.AST): ProblemText => {
  switch (ast._tag) {
    case "String":
      return { type: "string_type", msg: "Input should be a valid string" }
    case "Boolean":
      return { type: "bool_type", msg: "Input should be a valid boolean" }
    case "Number":
      return isInt(ast)
        ? { type: "int_type", msg: "Input should be a valid integer" }
        : { type: "float_type", msg: "Input should be a valid number" }
    case "Arrays":
      return { type: "list_type", msg: "Input should be a valid array" }
    case "Objects":
      return { type: "dict_type", msg: "Input should be a valid object" }
    case "Union": {
      const types = ast.types.filter((type) => type._tag !== "Null")
      const values = literals(types)
      const [only] = types
      const tag = tagOf(types)
      if (tag !== undefined) {
        return { type: "union_tag_invalid", msg: `Input should be an object with '${tag.name}' ${oneOf(tag.values)}` }
      }
      return values.length > 0 && values.length === types.length
        ? { type: "enum", msg: `Input should be ${oneOf(values)}` }
        : only === undefined
        ? { type: "value_error", msg: "Invalid value" }
        : expected(only)
    }
    default:
      return { type: "value_error", msg: "Invalid value" }
  }
}

/** The bounds of a check, with their names in the library. */
interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
}

/** All minimum lengths are one. */
const tooShort = (isList: boolean): ProblemText =>
  isList
    ? { type: "too_short", msg: "List should have at least 1 item after validation, not 0" }
    : { type: "string_too_short", msg: "String should have at least 1 character" }

const tooLong = (isList: boolean, maximum: number | undefined): ProblemText =>
  isList
    ? { type: "too_long", msg: `List should have at most ${maximum} items` }
    : { type: "string_too_long", msg: `String should have at most ${maximum} characters` }

/** The text for a fraction and for a number that is too large. An issue does not have the number. */
const noInteger = "Input should be a valid integer, got a number with a fractional part or beyond " +
  `±${Number.MAX_SAFE_INTEGER}`

const failed = ({ filter, issue }: SchemaIssue.Filter, isList: boolean): ProblemText | undefined => {
  const { problem, representation } = filter.annotations ?? {}
  const message = format(new SchemaIssue.Filter(filter, issue)).issues[0]?.message ?? ""
  if (typeof problem === "string") return { type: problem, msg: message }
  const bounds = representation?.payload as Bounds | undefined
  switch (representation?.id) {
    case "effect/schema/isGreaterThanOrEqualTo":
      return { type: "greater_than_equal", msg: `Input should be greater than or equal to ${bounds?.minimum}` }
    case "effect/schema/isLessThanOrEqualTo":
      return { type: "less_than_equal", msg: `Input should be less than or equal to ${bounds?.maximum}` }
    case "effect/schema/isInt":
      return { type: "int_from_float", msg: noInteger }
    case "effect/schema/isMinLength":
      return tooShort(isList)
    case "effect/schema/isMaxLength":
      return tooLong(isList, bounds?.maxLength)
    default:
      return undefined
  }
}

interface Leaf {
  readonly issue: SchemaIssue.Issue
  /** Whether the problem is that of the whole list and not of an item. */
  readonly isList: boolean
}

/** The text of a problem. If there is none, the message of the schema is used. */
const problemText = ({ isList, issue }: Leaf): ProblemText | undefined => {
  switch (issue._tag) {
    case "MissingKey":
      return missing
    case "UnexpectedKey":
      return unknownKey(issue.ast.annotations?.messageUnexpectedKey as string | undefined)
    case "Pointer":
      return problemText({ issue: issue.issue, isList })
    case "Filter":
      return failed(issue, isList)
    case "AnyOf":
    case "InvalidType":
      return expected(issue.ast)
    default:
      return undefined
  }
}

/** The leaves of an issue, so that every message keeps the type of what it is about. */
const leaves = (issue: SchemaIssue.Issue, isList = false): ReadonlyArray<Leaf> => {
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, issue.ast._tag === "Arrays"))
    case "Pointer":
      return leaves(issue.issue).map((leaf) => ({ ...leaf, issue: new SchemaIssue.Pointer(issue.path, leaf.issue) }))
    case "Encoding":
      return leaves(issue.issue)
    case "AnyOf":
      // If one member of a union matches except for its nested values, its issues are reported.
      return issue.issues.length === 0 ? [{ issue, isList }] : issue.issues.flatMap((inner) => leaves(inner))
    default:
      return [{ issue, isList }]
  }
}

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): string | number => {
  const key = typeof segment === "object" ? segment.key : segment
  return typeof key === "number" ? key : String(key)
}

/** More of them would not help, and a caller must not be able to request a million. */
const maxProblems = 100

/** The places are paths in the value. */
export const ofSchemaError = (error: Schema.SchemaError): ReadonlyArray<Problem> =>
  leaves(error.issue).slice(0, maxProblems).flatMap((leaf) =>
    format(leaf.issue).issues.slice(0, 1).map((issue) => ({
      loc: (issue.path ?? []).map(keyOf),
      msg: issue.message,
      type: "value_error",
      ...problemText(leaf)
    }))
  )

/** `part` is the part of the request: `query`, `path` or `body`. */
export const fromSchemaError = (part: string, error: Schema.SchemaError): ReadonlyArray<Problem> =>
  ofSchemaError(error).map((problem) => ({ ...problem, loc: [part, ...problem.loc] }))
