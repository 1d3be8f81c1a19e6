// `BudgetStore` in PostgreSQL. Every method is one statement, except for a page past the end of a list.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Owner from "@svc-runtime/domain/Owner"
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as Ownership from "@svc-runtime/postgres/sql/Ownership"
import * as Page from "@svc-runtime/postgres/sql/Page"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { json, jsonb, text, textOrNull } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import * as Budget from "./Budget.ts"
import {
  BudgetNameTaken,
  BudgetStore,
  type BudgetWithCount,
  maxExhausted,
  type Reached,
  type Reserved
} from "./BudgetStore.ts"

const columns = `b.id, b.name, b.scope, b.period, b.amount::float8 as amount, b.currency, b.user_id, b.kind,
  b.component_id, b.warn_at, b.unpriced, b.enabled, b.created_at::float8 as created_at,
  b.updated_at::float8 as updated_at`

/** The key under which a budget counts for one owner, or for all. */
const fixedKey = `case b.scope when 'service' then '' when 'user' then b.user_id
  when 'component' then b.kind || ' ' || b.component_id end`

const counted = `s.key, s.since::float8 as since, s.spent::float8 as spent, s.reserved::float8 as reserved`

const Counts = Schema.Struct({
  key: Schema.String,
  since: Schema.Int,
  spent: Schema.Natural,
  reserved: Schema.Natural
})

const { component: _, ...fields } = Budget.Budget.fields

const Row = Schema.Struct({
  ...fields,
  kind: Schema.NullOr(ComponentKind.ComponentKind),
  component_id: Schema.NullOr(Schema.String)
})

const RowWithCount = Schema.Struct({ ...Row.fields, ...Counts.fields, key: Schema.NullOr(Schema.String) })

const readRows = ReadableRows.make(Row, "budget_id")
const readRowsWithCount = ReadableRows.make(RowWithCount, "budget_id")
const readCounts = ReadableRows.make(Counts)

const budgetOf = (row: typeof Row.Type): Budget.Budget => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  period: row.period,
  amount: Budget.fromUnits(row.amount),
  currency: row.currency,
  user_id: row.user_id,
  component: row.kind === null || row.component_id === null ? null : { kind: row.kind, id: row.component_id },
  warn_at: row.warn_at,
  unpriced: row.unpriced,
  enabled: row.enabled,
  created_at: row.created_at,
  updated_at: row.updated_at
})

const withCount = (row: typeof RowWithCount.Type): BudgetWithCount => {
  const { key, reserved, since, spent } = row
  return { budget: budgetOf(row), counted: key === null ? undefined : { key, since, spent, reserved } }
}

const isNameTaken = (error: unknown): boolean => SqlError.isSqlError(error) && error.reason._tag === "UniqueViolation"

const taken = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catchIf(effect, isNameTaken, () => Effect.fail(new BudgetNameTaken()))

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const pages = Page.make(sql)

  const valuesOf = (
    {
      amount,
      component,
      created_at,
      currency,
      enabled,
      id,
      name,
      period,
      scope,
      unpriced,
      updated_at,
      user_id,
      warn_at
    }: Budget.Budget
  ) =>
    sql`${text(id)}::text, ${text(name)}::text, ${scope}::text, ${period}::text, ${
      String(Budget.toUnits(amount))
    }::bigint, ${currency}::text, ${textOrNull(user_id)}::text, ${component?.kind ?? null}::text, ${
      textOrNull(component?.id ?? null)
    }::text, ${warn_at}::int, ${
      json(unpriced)
    }::json, ${enabled}::boolean, ${created_at}::bigint, ${updated_at}::bigint`

  /** The key of what the owner sees of a budget. */
  const keyOf = (owner: Owner.Owner) =>
    owner._tag === "User"
      ? sql`case when b.scope = 'user' then ${text(owner.user_id)} end`
      : sql.literal(fixedKey)

  const visible = (owner: Owner.Owner) =>
    owner._tag === "User"
      ? sql`b.scope = 'user' and ${Ownership.reads(sql, "b.user_id", owner)}`
      : sql.literal(owner._tag === "Anyone" ? "true" : "false")

  const counting = (owner: Owner.Owner) =>
    sql`svc_budgets b cross join lateral (select ${keyOf(owner)} as key, svc_budget_since(b.period) as since) k
      left join svc_budget_spending s on s.budget_id = b.id and s.key = k.key and s.since = k.since`

  const shown = sql.literal(
    `${columns}, k.key, k.since::float8 as since, coalesce(s.spent, 0)::float8 as spent,
      coalesce(s.reserved, 0)::float8 as reserved, b.seq`
  )

  /**
   * Charges the reservations that a statement selects as `id`, `amounts` and `keeps`. The id of each kept one
   * stays, with nothing to charge.
   */
  const settleOnce = (which: Statement.Fragment) =>
    sql<{ readonly reached: ReadonlyArray<Reached>; readonly is_whole: boolean }>`
      with settlements as materialized (${which}), settled as materialized (
        select svc_budget_settle((
          select coalesce(json_agg(json_build_object('id', id, 'amounts', amounts)), '[]') from settlements
        )) as reached
      ), kept as (
        insert into svc_budget_reservations (id, payer, attempt, targets, created_at)
        select s.id, '', 0, '[]', extract(epoch from clock_timestamp())::bigint
        from settled cross join settlements s where s.keeps
        on conflict (id) do nothing returning 1
      )
      select reached, (select count(*) from kept) = (select count(*) from settlements where keeps) as is_whole
      from settled`

  /** Again if a reservation was in progress meanwhile: it is waited for, and found by the second statement. */
  const settling = (which: Statement.Fragment) =>
    orUnavailable(Effect.gen(function*() {
      const [first] = yield* settleOnce(which)
      if (first?.is_whole !== false) return first?.reached ?? []
      const [second] = yield* settleOnce(which)
      return [...first.reached, ...second?.reached ?? []]
    }))

  return BudgetStore.of({
    all: readOrUnavailable(Effect.flatMap(
      sql`select ${sql.literal(columns)} from svc_budgets b order by b.seq`,
      (rows) => Effect.map(readRows(rows), (read) => read.map(budgetOf))
    )),
    list: Effect.fn("SqlBudgetStore.list")((owner, page) => {
      const from = { from: sql`${counting(owner)} where ${visible(owner)}`, page }
      return readOrUnavailable(Effect.gen(function*() {
        const rows = yield* pages.select({ columns: shown, order: sql.literal("b.seq"), ...from })
        const budgets = (yield* readRowsWithCount(rows)).map(withCount)
        return { budgets, total: yield* pages.totalOf(rows, from) }
      }))
    }),
    find: Effect.fn("SqlBudgetStore.find")((id, owner) =>
      readOrUnavailable(Effect.flatMap(
        sql`select ${shown} from ${counting(owner)} where b.id = ${text(id)} and ${visible(owner)}`,
        (rows) => Effect.map(readRowsWithCount(rows), ([row]) => Option.map(Option.fromUndefinedOr(row), withCount))
      ))
    ),
    create: Effect.fn("SqlBudgetStore.create")((budget, limit) =>
      orUnavailable(taken(Effect.map(
        sql`insert into svc_budgets (id, name, scope, period, amount, currency, user_id, kind, component_id, warn_at,
            unpriced, enabled, created_at, updated_at)
          select ${valuesOf(budget)} where (select count(*) from svc_budgets) < ${limit} returning id`,
        ({ length }) => length > 0
      )))
    ),
    // Marks that the new amount has not reached are noted again when it does. If it is used up already, starts are
    // refused from now on.
    replace: Effect.fn("SqlBudgetStore.replace")((budget) =>
      orUnavailable(taken(Effect.map(
        sql`with replaced as (
            update svc_budgets b set (id, name, scope, period, amount, currency, user_id, kind, component_id, warn_at,
              unpriced, enabled, created_at, updated_at) = (select ${valuesOf(budget)})
            where b.id = ${text(budget.id)} returning b.id, b.period, b.amount, b.warn_at
          ), noted as (
            update svc_budget_spending s
            set is_warned = s.is_warned and coalesce(s.spent >= r.amount::numeric * r.warn_at / 100, false),
              is_exhausted = s.spent >= r.amount
            from replaced r where s.budget_id = r.id and s.since = svc_budget_since(r.period)
              and (s.is_warned or s.is_exhausted or s.spent >= r.amount)
          )
          select id from replaced`,
        ({ length }) => length > 0
      )))
    ),
    remove: Effect.fn("SqlBudgetStore.remove")((id) =>
      orUnavailable(Effect.map(
        sql`delete from svc_budgets where id = ${text(id)} returning id`,
        ({ length }) => length > 0
      ))
    ),
    counts: Effect.fn("SqlBudgetStore.counts")((id, owner, page) => {
      const from = {
        from: sql`svc_budget_spending s join svc_budgets b on b.id = s.budget_id
          where s.budget_id = ${text(id)} and s.since = svc_budget_since(b.period) and ${visible(owner)}
            and ${owner._tag === "User" ? sql`s.key = ${text(owner.user_id)}` : sql.literal("true")}`,
        page
      }
      return readOrUnavailable(Effect.gen(function*() {
        const columns = sql.literal(counted)
        const rows = yield* pages.select({ columns, order: sql.literal("s.spent desc, s.key"), ...from })
        return { counts: yield* readCounts(rows), total: yield* pages.totalOf(rows, from) }
      }))
    }),
    exhausted: readOrUnavailable(
      sql<{ readonly budget_id: Budget.Id; readonly key: string }>`
        select b.id as budget_id, s.key from svc_budgets b
          join svc_budget_spending s on s.budget_id = b.id and s.since = svc_budget_since(b.period) and s.is_exhausted
        where b.enabled limit ${maxExhausted}`
    ),
    usedUp: Effect.fn("SqlBudgetStore.usedUp")((targets) =>
      readOrUnavailable(Effect.map(
        sql<Budget.Counted & { readonly budget_id: Budget.Id }>`
          select b.id as budget_id, ${sql.literal(counted)}
          from json_to_recordset(${jsonb(targets)}::json) as t (budget_id text, key text)
            join svc_budgets b on b.id = t.budget_id
            cross join lateral (
              select * from svc_budget_spending s
              where s.budget_id = b.id and s.key = t.key and s.since = svc_budget_since(b.period) offset 0
            ) s
          where b.enabled and s.spent >= b.amount order by s.since + (b.period is not null)::int, b.id limit 1`,
        ([row]) => Option.fromUndefinedOr(row)
      ))
    ),
    busy: Effect.fn("SqlBudgetStore.busy")((targets) =>
      readOrUnavailable(Effect.map(
        sql<Budget.Counted & { readonly budget_id: Budget.Id }>`
          select b.id as budget_id, ${sql.literal(counted)}
          from json_to_recordset(${jsonb(targets)}::json) as t (budget_id text, key text, amount bigint)
            join svc_budgets b on b.id = t.budget_id
            cross join lateral (
              select * from svc_budget_spending s
              where s.budget_id = b.id and s.key = t.key and s.since = svc_budget_since(b.period) offset 0
            ) s
          where b.enabled and s.reserved > 0 and s.spent + s.reserved + t.amount > b.amount order by b.id limit 1`,
        ([row]) => Option.fromUndefinedOr(row)
      ))
    ),
    reserve: Effect.fn("SqlBudgetStore.reserve")((reservation) => {
      const reserving = sql<{ readonly reserved: Reserved }>`
        select svc_budget_reserve(${jsonb(reservation)}::json) as reserved`
      return orUnavailable(Effect.map(
        // an earlier call whose reply was lost was still in progress
        Effect.catchReason(reserving, "SqlError", "UniqueViolation", () => reserving),
        ([row]) => row?.reserved ?? { outcome: "busy" as const }
      ))
    }),
    settle: Effect.fn("SqlBudgetStore.settle")((settlements) =>
      settling(sql`
        select id, amounts, "mayComeAgain" is true as keeps
        from json_to_recordset(${jsonb(settlements)}::json) as s (id text, amounts json, "mayComeAgain" boolean)`)
    ),
    settleEarlier: Effect.fn("SqlBudgetStore.settleEarlier")((payer, attempt) =>
      settling(sql`
        select id, null::json as amounts, true as keeps from svc_budget_reservations
        where payer = ${text(payer)} and attempt < ${attempt}`)
    ),
    settleOld: Effect.fn("SqlBudgetStore.settleOld")((before) =>
      settling(sql`
        select id, null::json as amounts, false as keeps from svc_budget_reservations
        where created_at < ${before} order by created_at limit 500`)
    )
  })
})

export const layer: Layer.Layer<BudgetStore, never, SqlClient.SqlClient> = Layer.effect(BudgetStore, make)
