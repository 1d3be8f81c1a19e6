// The pages of a list.
import type { PaginationInfo } from "@svc/client"
import { query } from "../Route.ts"

export const Pages = (
  { meta: { page, total_count: count, total_pages: pages } }: { readonly meta: PaginationInfo }
) => (
  <p class="pages">
    <span class="quiet">{count.toLocaleString()} in all</span>
    {pages < 2 ? null : (
      <>
        <button type="button" disabled={page <= 1} onClick={() => query({ page: String(page - 1) })}>Newer</button>
        <span>Page {page} of {pages}</span>
        <button type="button" disabled={page >= pages} onClick={() => query({ page: String(page + 1) })}>Older</button>
      </>
    )}
  </p>
)
