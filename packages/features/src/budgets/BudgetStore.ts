// Where budgets are kept, and what has been spent of them. They are in the service's own database, whichever database
// the runs are in. Amounts are in billionths of the currency of the budget.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Time from "@svc-runtime/domain/Time"
import { Context, type Effect, type Option, Schema } from "effect"
import type * as Budget from "./Budget.ts"

/** Another budget has the name. */
export class BudgetNameTaken extends Schema.TaggedError<BudgetNameTaken>()("BudgetNameTaken", {}) {}

/** A budget under one of its keys, with what a request may cost of it. */
export interface Target {
  readonly budget_id: Budget.Id
  readonly key: string
  readonly amount: number
}

/** For one request to a model. */
export interface Reservation {
  readonly id: string
  /** The run, or the job. */
  readonly payer: string
  readonly attempt: number
  readonly targets: ReadonlyArray<Target>
}

/** Of one read. */
export const maxExhausted = 10_000

/** A budget that is used up. */
export interface UsedUp extends Budget.Counted {
  readonly budget_id: Budget.Id
}

/** `busy`: what is left does not suffice, and other requests have reserved some of it. */
export type Reserved =
  | { readonly outcome: "busy" | "reserved"; readonly usedUp?: undefined }
  | { readonly outcome: "refused"; readonly usedUp: UsedUp }

export interface Settlement {
  /** Of the reservation. */
  readonly id: string
  /** By the ids of budgets. Budgets without one are charged by the reservation. */
  readonly amounts: Readonly<Record<string, number>>
  /**
   * Its call can be executed again, or for the first time, because a reply to it was lost. Then it changes nothing: the
   * store keeps the id for as long as `settleOld` lets it.
   */
  readonly mayComeAgain?: boolean | undefined
}

/** A budget has reached a mark, for the first time in its period. */
export interface Reached extends UsedUp {
  readonly mark: "warned" | "exhausted"
}

export interface BudgetWithCount {
  readonly budget: Budget.Budget
  /** Of the owner, or of the only key of the budget. Undefined: it has several. */
  readonly counted: Budget.Counted | undefined
}

export class BudgetStore extends Context.Service<BudgetStore, {
  /** In the order of creation. */
  readonly all: Effect.Effect<ReadonlyArray<Budget.Budget>, StorageUnavailable>
  /** For a user, the budgets of users. */
  readonly list: (
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<
    { readonly budgets: ReadonlyArray<BudgetWithCount>; readonly total: number },
    StorageUnavailable
  >
  readonly find: (
    id: Budget.Id,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<BudgetWithCount>, StorageUnavailable>
  /** False if there are as many as there may be. */
  readonly create: (
    budget: Budget.Budget,
    limit: number
  ) => Effect.Effect<boolean, BudgetNameTaken | StorageUnavailable>
  /**
   * All of its fields but the id. What is counted stays, and a new amount that is used up by it is exhausted. False if
   * there is none.
   */
  readonly replace: (budget: Budget.Budget) => Effect.Effect<boolean, BudgetNameTaken | StorageUnavailable>
  /** What is counted is removed as well. */
  readonly remove: (id: Budget.Id) => Effect.Effect<boolean, StorageUnavailable>
  /** What is counted in the period of now, the largest first. */
  readonly counts: (
    id: Budget.Id,
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<
    { readonly counts: ReadonlyArray<Budget.Counted>; readonly total: number },
    StorageUnavailable
  >
  /** Where nothing is left in the period of now, so that nodes ask about few starts only. At most `maxExhausted`. */
  readonly exhausted: Effect.Effect<ReadonlyArray<Omit<Target, "amount">>, StorageUnavailable>
  /** The first of the budgets of which nothing is left now. */
  readonly usedUp: (
    targets: ReadonlyArray<Omit<Target, "amount">>
  ) => Effect.Effect<Option.Option<UsedUp>, StorageUnavailable>
  /** The first of the budgets of which too little is left, because other requests have reserved some of it. */
  readonly busy: (targets: ReadonlyArray<Target>) => Effect.Effect<Option.Option<UsedUp>, StorageUnavailable>
  /**
   * Reserves for all budgets or for none. If less is left than the amount, what is left, as soon as no other request
   * has reserved some of it. So a budget is exceeded by one request at most. A repeated call with the same id changes
   * nothing.
   */
  readonly reserve: (reservation: Reservation) => Effect.Effect<Reserved, StorageUnavailable>
  /** Charges each reservation once. */
  readonly settle: (
    settlements: ReadonlyArray<Settlement>
  ) => Effect.Effect<ReadonlyArray<Reached>, StorageUnavailable>
  /**
   * Charges what earlier attempts of a payer have reserved, as they reserved it. Their nodes may not have got the
   * replies yet: a repeated call of `reserve` changes nothing.
   */
  readonly settleEarlier: (
    payer: string,
    attempt: number
  ) => Effect.Effect<ReadonlyArray<Reached>, StorageUnavailable>
  /** Charges what was reserved before, as it was reserved, and forgets ids that it keeps from before. */
  readonly settleOld: (before: Time.EpochSeconds) => Effect.Effect<ReadonlyArray<Reached>, StorageUnavailable>
}>()("@svc-runtime/features/budgets/BudgetStore") {}
