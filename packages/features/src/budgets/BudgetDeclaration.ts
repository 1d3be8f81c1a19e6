// A budget as the code of an application declares it, and why it cannot be used. All that needs no settings and no
// database is known when the options are given.
import type * as Json from "@svc-runtime/domain/Json"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import { Predicate, Result, Schema } from "effect"
import { decoderOf } from "../declarations/Declaration.ts"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as Budget from "./Budget.ts"

export interface Declaration {
  /** Identifies it. Messages have it. */
  readonly name: string
  /**
   * What has the limit: each `run` with the runs inside of it, each `user`, each `tenant`, each `component`, or the
   * `service`.
   */
  readonly scope: Budget.Scope
  /** A `day` or a `month`, in UTC. Left out for the scope `run`. */
  readonly period?: Budget.Period | undefined
  /** What requests to models may cost. */
  readonly amount: number
  /** Its code. Default: `USD`. */
  readonly currency?: string | undefined
  /** Only this user, with the scope `user`. Default: each user. */
  readonly userId?: string | undefined
  /** Only this component, with the scope `component`. Default: each component. */
  readonly component?: DeclaredComponent.Component | undefined
  /** The percent of the amount at which webhooks are called. Null: never. Default: 80. */
  readonly warnAt?: number | null | undefined
  /**
   * What a request to a model without a price does: `refuse`, `zero`, or a price in US dollars for a million tokens,
   * such as `{ input: 1, output: 4 }`. Default: `refuse`.
   */
  readonly unpriced?: Budget.Unpriced | undefined
}

const decode = decoderOf(Budget.Create, { user_id: "userId", warn_at: "warnAt" })

/** As a request would have it. */
export const requestOf = ({ component, userId, warnAt, ...declared }: Declaration): Json.Object => {
  const { id, kind } = component === undefined ? {} as Partial<Budget.Component> : DeclaredComponent.refOf(component)
  const fields = {
    ...declared,
    user_id: userId,
    warn_at: warnAt,
    component: kind === undefined || id === undefined ? undefined : { kind, id }
  }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => value === undefined ? [] : [[name, value]])
  )
}

/** The percent that was meant by a part of one, or by a text. */
const percentOf = (value: unknown): string | undefined => {
  const number = Predicate.isString(value) ? Number(value.trim().replace(/\s*%$/, "")) : value
  if (!Predicate.isNumber(number)) return undefined
  const percent = Math.round(number > 0 && number < 1 ? number * 100 : number)
  return percent >= 1 && percent <= 99 ? `Write ${percent}` : undefined
}

const codeOf = (value: unknown): string | undefined =>
  Predicate.isString(value) && /^[a-z]{3}$/i.test(value) ? `Write "${value.toUpperCase()}"` : undefined

const { amount, currency, unpriced, warn_at } = Budget.Create.fields

const values = {
  amount: { is: Schema.is(amount), expected: "from 0.000000001 to 1000000", meant: () => undefined },
  currency: { is: Schema.is(currency), expected: "the code of a currency, such as USD or EUR", meant: codeOf },
  warnAt: { is: Schema.is(warn_at), expected: "a whole percent from 1 to 99, or null", meant: percentOf },
  unpriced: {
    is: Schema.is(unpriced),
    expected: "refuse, zero, or a price such as { input: 1, output: 4 }",
    meant: () => undefined
  }
} as const

/** Throws for what no budget can have. */
export const check = (owner: string, declared: Declaration): void => {
  DeclaredComponent.check(owner, declared.component)
  if (declared.scope === undefined) {
    throw new Mistake(`${owner} has no scope. Give it run, user, tenant, component or service`)
  }
  if (declared.amount === undefined) throw new Mistake(`${owner} has no amount. Give it a number, such as 5`)
  for (const [name, { expected, is, meant }] of Object.entries(values)) {
    const value: unknown = declared[name as keyof typeof values]
    if (value !== undefined && !is(value)) throw mismatch(`${owner}: ${name}`, expected, value, meant(value))
  }
  const decoded = decode(requestOf(declared))
  if (Result.isFailure(decoded)) throw new Mistake(`${owner}: ${decoded.failure}`)
  const problem = Budget.problemOf(decoded.success)
  if (problem !== undefined) throw new Mistake(`${owner}: ${problem.message}`)
}

/** Of one that `check` has seen. */
export const createOf = (declared: Declaration): Budget.Create => Result.getOrThrow(decode(requestOf(declared)))
