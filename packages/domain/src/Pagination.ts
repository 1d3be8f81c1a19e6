// Pages are counted from 1. Page 0 is accepted, means the first page, and is echoed as 0.
import { Schema } from "effect"

export const Meta = Schema.Struct({
  page: Schema.Natural,
  limit: Schema.Natural,
  /** `ceil(total_count / limit)`; 0 if nothing matches. */
  total_pages: Schema.Natural,
  total_count: Schema.Natural,
  search_time_ms: Schema.Finite
}).annotate({ identifier: "PaginationInfo" })
export type Meta = typeof Meta.Type

export const page = <A extends Schema.Top>(item: A, identifier: string) =>
  Schema.Struct({ data: Schema.Array(item), meta: Meta }).annotate({ identifier })

export interface Request {
  readonly page: number
  readonly limit: number
}

/** Of a list without a default. */
export interface Optional {
  readonly limit?: number | undefined
  readonly page?: number | undefined
}

/** The limit of most lists, if none is requested. */
export const defaultLimit = 20

/** Undefined if everything is wanted. A page alone has the limit that other lists have. */
export const requested = ({ limit, page }: Optional): Request | undefined =>
  limit === undefined && page === undefined ? undefined : { limit: limit ?? defaultLimit, page: page ?? 1 }

/** Limited to what a database accepts: a larger page is past the end anyway. */
export const offset = (request: Request): number =>
  Math.min(Math.max(request.page - 1, 0) * request.limit, Number.MAX_SAFE_INTEGER)

export const meta = (request: Request, totalCount: number): Meta => ({
  page: request.page,
  limit: request.limit,
  total_pages: Math.ceil(totalCount / request.limit),
  total_count: totalCount,
  search_time_ms: 0
})

/** The body of a list. */
export const response = <A>(request: Request, data: ReadonlyArray<A>, totalCount: number) => ({
  data,
  meta: meta(request, totalCount)
})

/** A page of everything that matches, in order. */
export const slice = <A>(request: Request, matching: ReadonlyArray<A>): ReadonlyArray<A> => {
  const from = offset(request)
  return matching.slice(from, from + request.limit)
}
