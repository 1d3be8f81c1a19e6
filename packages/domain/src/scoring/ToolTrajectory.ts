// Compares the tool calls of a run with the expected calls. A failed call fits no expected one, but counts as a call.
import { Equal, Schema } from "effect"
import * as Json from "../Json.ts"

export const Expected = Schema.Union([
  Schema.String,
  Schema.Struct({
    name: Schema.String,
    /** The call has these among its arguments. */
    arguments: Schema.optionalKey(Json.Object)
  })
])
export type Expected = typeof Expected.Type

/**
 * `exact`: these calls, in this order, and no others. `in_order`: others can be between them. `any_order`: the same, in
 * any order.
 */
export const Order = Schema.Literals(["exact", "in_order", "any_order"])
export type Order = typeof Order.Type

export interface Call {
  readonly name: string
  readonly arguments: Json.Object
  readonly isFailed: boolean
}

const isExpected = (expected: Expected, call: Call): boolean => {
  const wanted = typeof expected === "string" ? { name: expected } : expected
  return !call.isFailed && call.name === wanted.name && Object.entries(wanted.arguments ?? {}).every(
    ([key, value]) => Object.hasOwn(call.arguments, key) && Equal.equals(call.arguments[key], value)
  )
}

/** How many were called in their order: the longest common subsequence. */
const inOrder = (expected: ReadonlyArray<Expected>, calls: ReadonlyArray<Call>): number => {
  let previous = Array.from({ length: calls.length + 1 }, () => 0)
  for (const each of expected) {
    const next = [0]
    for (const [index, call] of calls.entries()) {
      next.push(
        isExpected(each, call)
          ? (previous[index] ?? 0) + 1
          : Math.max(previous[index + 1] ?? 0, next[index] ?? 0)
      )
    }
    previous = next
  }
  return previous[calls.length] ?? 0
}

/** How many were called: a maximum matching, because a call can be what several expect. */
const inAnyOrder = (expected: ReadonlyArray<Expected>, calls: ReadonlyArray<Call>): number => {
  const taken = new Map<number, number>()
  const take = (index: number, tried: Set<number>): boolean =>
    calls.some((call, at) => {
      const each = expected[index]
      if (each === undefined || tried.has(at) || !isExpected(each, call)) return false
      tried.add(at)
      const holder = taken.get(at)
      if (holder !== undefined && !take(holder, tried)) return false
      taken.set(at, index)
      return true
    })
  return expected.filter((_, index) => take(index, new Set())).length
}

/** The share of expected calls that were made; with `exact` the share of all calls, expected and made. */
export const compare = (expected: ReadonlyArray<Expected>, calls: ReadonlyArray<Call>, order: Order): number => {
  const found = order === "any_order" ? inAnyOrder(expected, calls) : inOrder(expected, calls)
  const total = order === "exact" ? Math.max(expected.length, calls.length) : expected.length
  return total === 0 ? 1 : found / total
}
