import { assert, layer } from "@effect/vitest"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Page from "../../src/sql/Page.ts"
import { statementsOf } from "../statementsOf.ts"

Tier.oneIn(8)

layer(PgliteLayer.layer, { excludeTestServices: true })("a page of a list", (it) => {
  const list = Effect.fnUntraced(function*(page: { readonly page: number; readonly limit: number }, last = 10) {
    const sql = yield* SqlClient.SqlClient
    const pages = Page.make(sql)
    const from = sql`generate_series(1, ${last}::int) n where n > 3`
    const rows = yield* pages.select({ columns: sql`n`, from, order: sql`n desc`, page })
    return { rows: rows.map((row) => Object(row).n), total: yield* pages.totalOf(rows, { from, page }) }
  })

  it.effect("a page has the real total, also where it is full, not full, or past the end", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* list({ page: 1, limit: 5 }), { rows: [10, 9, 8, 7, 6], total: 7 })
      assert.deepStrictEqual(yield* list({ page: 2, limit: 5 }), { rows: [5, 4], total: 7 })
      assert.deepStrictEqual(yield* list({ page: 3, limit: 5 }), { rows: [], total: 7 })
      assert.deepStrictEqual(yield* list({ page: Number.MAX_SAFE_INTEGER, limit: 1000 }), { rows: [], total: 7 })
    }))

  it.effect("a list of more than a million rows has an exact total", () =>
    Effect.gen(function*() {
      const last = 1_000_005
      assert.strictEqual((yield* list({ page: 1, limit: 2 }, last)).total, last - 3)
      assert.strictEqual((yield* list({ page: last, limit: 2 }, last)).total, last - 3)
    }))

  it.effect("a page needs a second statement only past the end", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* statementsOf(list({ page: 1, limit: 5 })), 1)
      assert.strictEqual(yield* statementsOf(list({ page: 3, limit: 5 })), 2)
    }))
})
