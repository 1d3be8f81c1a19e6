// Checks JSON against the JSON Schema of a caller, in a number of steps that is bounded by the size of the value.
// Patterns of texts are ignored, because matching one can take unlimited time. So are descriptive keywords, and
// keywords that models are never shown: `not`, `if`, `contains`, `dependent…`, `unevaluated…`.
import { type JsonSchema, Predicate, Result } from "effect"
import * as CheckBudget from "./CheckBudget.ts"
import * as JsonSchemaLimits from "./JsonSchemaLimits.ts"
import * as References from "./JsonSchemaReferences.ts"
import { isNode, type Node, own } from "./JsonSchemaReferences.ts"
import * as KeyPatterns from "./KeyPatterns.ts"

export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

/** The maximum number of reported problems. */
const maxIssues = 20

interface Options {
  /** Counts the steps of a check without an early end. */
  readonly isExhaustive: boolean
}

interface Checking extends Options {
  readonly root: Node
  readonly budget: CheckBudget.CheckBudget
  /** The problems so far. A check of which only the result matters does not collect them. */
  readonly issues: Array<Issue> | undefined
  readonly place: Place | undefined
}

/** The path of a value, as a linked list. */
interface Place {
  readonly key: string | number
  readonly parent: Place | undefined
}

type Schema = JsonSchema.JsonSchema

const pathOf = (place: Place | undefined): Issue["path"] => {
  const keys: Array<string | number> = []
  for (let at = place; at !== undefined; at = at.parent) keys.push(at.key)
  return keys.toReversed()
}

const report = ({ issues, place }: Checking, message: string): false => {
  if (issues !== undefined && issues.length < maxIssues) issues.push({ path: pathOf(place), message })
  return false
}

/** Whether all match. After the first mismatch it continues only if problems are collected. */
const every = <A>(
  { isExhaustive, issues }: Checking,
  items: Iterable<A>,
  fits: (item: A) => boolean
): boolean => {
  let result = true
  for (const item of items) {
    if (fits(item)) continue
    result = false
    if (issues === undefined && !isExhaustive) return false
  }
  return result
}

const listOf = (schema: Schema, keyword: string): ReadonlyArray<Node> => {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value.filter(isNode) : []
}

const inside = (checking: Checking, key: string | number): Checking =>
  checking.issues === undefined ? checking : { ...checking, place: { key, parent: checking.place } }

const silently = (checking: Checking): Checking => ({ ...checking, issues: undefined })

const properties = (checking: Checking, schema: Schema, value: object): boolean => {
  const { budget } = checking
  const known = own(schema, "properties")
  const required = own(schema, "required")
  const rest = own(schema, "additionalProperties")
  const hasPatterns = own(schema, "patternProperties") !== undefined
  const declared = Predicate.isObject(known) ? known : {}
  const names = Object.keys(declared)
  const needed = Array.isArray(required) ? required.filter(Predicate.isString) : []
  budget.spend(names.length + needed.length)
  // a discriminator decides before other keywords are checked
  const isMismatch = (name: string) =>
    isLiteral(declared[name]) && Object.hasOwn(value, name) && !fits(checking, declared[name], own(value, name))
  if (checking.issues === undefined && names.some(isMismatch)) return false
  const present = every(checking, names, (name) => {
    if (!Object.hasOwn(value, name) || !isNode(declared[name])) return true
    return fits(inside(checking, name), declared[name], own(value, name))
  })
  const complete = every(
    checking,
    needed,
    (name) => Object.hasOwn(value, name) || report(inside(checking, name), "Missing key")
  )
  const hasRest = isNode(rest) && rest !== true
  if (!hasRest && !hasPatterns) return present && complete
  const keys = Object.keys(value)
  budget.spend(keys.length)
  const others = every(checking, keys, (key) => {
    // undefined: it is unknown whether a pattern matches the key
    const matching = hasPatterns ? KeyPatterns.schemasFor(schema, key) : []
    const within = inside(checking, key)
    const isMatched = every(
      checking,
      matching ?? [],
      (each) => each === false ? report(within, "Expected no such key") : fits(within, each, own(value, key))
    )
    if (matching?.length !== 0 || !hasRest || Object.hasOwn(declared, key)) return isMatched
    return rest === false ? report(within, "Expected no such key") : fits(within, rest, own(value, key))
  })
  return present && complete && others
}

const items = (checking: Checking, schema: Schema, value: ReadonlyArray<unknown>): boolean => {
  const all = own(schema, "items")
  const tuple = Array.isArray(all) ? listOf(schema, "items") : listOf(schema, "prefixItems")
  const rest = Array.isArray(all) ? own(schema, "additionalItems") : all
  checking.budget.spend(value.length)
  return every(checking, value.entries(), ([index, item]) => {
    const expected = tuple[index] ?? rest
    return expected === undefined || fits(inside(checking, index), expected, item)
  })
}

const isLiteral = (schema: unknown): boolean =>
  Predicate.isObject(schema) && (Object.hasOwn(schema, "const") || Object.hasOwn(schema, "enum"))

const anyOf = (checking: Checking, members: ReadonlyArray<Node>, value: unknown): boolean => {
  const quiet = silently(checking)
  let result = false
  for (const member of members) {
    if (!fits(quiet, member, value)) continue
    result = true
    if (!checking.isExhaustive) break
  }
  return result || report(checking, `Expected a value of one of ${members.length} schemas`)
}

const oneOf = (checking: Checking, members: ReadonlyArray<Node>, value: unknown): boolean => {
  const quiet = silently(checking)
  const matching = members.filter((member) => fits(quiet, member, value)).length
  return matching === 1 || report(checking, `Expected a value of exactly one of ${members.length} schemas`)
}

const combined = (checking: Checking, schema: Schema, value: unknown): boolean => {
  const reference = own(schema, "$ref")
  const [any, one, all] = [listOf(schema, "anyOf"), listOf(schema, "oneOf"), listOf(schema, "allOf")]
  const parts = [
    () => !Predicate.isString(reference) || fits(checking, References.resolve(checking.root, reference), value),
    () => any.length === 0 || anyOf(checking, any, value),
    () => one.length === 0 || oneOf(checking, one, value),
    () => every(checking, all, (part) => fits(checking, part, value))
  ]
  return every(checking, parts, (part) => part())
}

const checkSchema = (checking: Checking, schema: Schema, value: unknown): boolean => {
  const problem = JsonSchemaLimits.problemOf(schema, value, checking.budget)
  // a value of the wrong type has nothing else to check
  if (problem !== undefined) return report(checking, problem)
  // as schemas of OpenAPI 3.0 say it, also beside a reference
  if (value === null && own(schema, "nullable") === true) return true
  const parts = [
    () =>
      Array.isArray(value)
        ? items(checking, schema, value)
        : !Predicate.isObject(value) || properties(checking, schema, value),
    () => combined(checking, schema, value)
  ]
  return every(checking, parts, (part) => part())
}

const fits = (checking: Checking, schema: unknown, value: unknown): boolean => {
  checking.budget.spend(1)
  if (Predicate.isBoolean(schema)) return schema || report(checking, "Expected nothing here")
  if (!Predicate.isObject(schema)) return true
  return checking.budget.nested(() => checkSchema(checking, schema, value))
}

export type Verdict =
  | { readonly _tag: "Checked"; readonly issues: ReadonlyArray<Issue> }
  /** The check exceeded its budget. */
  | { readonly _tag: "Exceeded"; readonly limit: string }

/** The stack can overflow before the budget is used up. */
const limitOf = (thrown: unknown): string =>
  thrown instanceof CheckBudget.Exceeded ? thrown.limit : "the depth that can be checked"

/** Throws for a dangling reference. */
export const make = (schema: Schema, { isExhaustive }: Options = { isExhaustive: false }) => {
  References.check(schema)
  return (value: unknown): Verdict => {
    const issues: Array<Issue> = []
    const budget = CheckBudget.make(value)
    const checking: Checking = { root: schema, budget, issues, place: undefined, isExhaustive }
    const checked = Result.try({ try: () => fits(checking, schema, value), catch: limitOf })
    return Result.isSuccess(checked)
      ? { _tag: "Checked", issues }
      : { _tag: "Exceeded", limit: checked.failure }
  }
}
