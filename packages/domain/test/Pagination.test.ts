import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Pagination from "../src/Pagination.ts"

const huge = Number.MAX_SAFE_INTEGER

describe("Pagination", () => {
  it.each([
    [{ page: 1, limit: 20 }, 0],
    [{ page: 0, limit: 20 }, 0],
    [{ page: 2, limit: 20 }, 20],
    [{ page: 7, limit: 3 }, 18],
    [{ page: huge, limit: 1 }, huge - 1],
    [{ page: huge, limit: huge }, huge]
  ])("the page and limit %j start at the offset %d", (request, offset) => {
    assert.strictEqual(Pagination.offset(request), offset)
    assert.isTrue(Number.isSafeInteger(Pagination.offset(request)))
  })

  it.each([
    [{}, undefined],
    [{ limit: 5 }, { page: 1, limit: 5 }],
    [{ page: 2 }, { page: 2, limit: 20 }],
    [{ page: 0 }, { page: 0, limit: 20 }]
  ])("the query %j of a list without a default requests the page %j", (request, page) => {
    assert.deepStrictEqual(Pagination.requested(request), page)
  })

  it.each([
    [{ page: 1, limit: 20 }, 0, 0],
    [{ page: 1, limit: 20 }, 1, 1],
    [{ page: 1, limit: 20 }, 20, 1],
    [{ page: 1, limit: 20 }, 21, 2],
    [{ page: 0, limit: 1 }, 5, 5],
    [{ page: 9, limit: huge }, 5, 1]
  ])("the page %j of %d rows has %d pages, and repeats the request", (request, total_count, total_pages) => {
    const meta = Pagination.meta(request, total_count)
    assert.deepStrictEqual(meta, { ...request, total_count, total_pages, search_time_ms: 0 })
    assert.deepStrictEqual(Schema.encodeSync(Pagination.Meta)(meta), meta)
  })
})
