// The pages of a list.
import type { PaginationInfo } from "@svc-runtime/client"
import { query } from "../Route.ts"

interface Props {
  readonly meta: PaginationInfo
  /** The number of the page in the address. */
  readonly name?: string
}

/** The service counts no further, and pages end there. */
const maxCounted = 10_000

export const Pages = ({ meta: { page, total_count: count, total_pages: pages }, name = "page" }: Props) => {
  const open = (page: number) => query({ [name]: String(page) })
  return (
    <p class="pages">
      <span class="quiet">
        {count === maxCounted ? `${count.toLocaleString()} or more` : `${count.toLocaleString()} in all`}
      </span>
      {pages < 2 ? null : (
        <>
          <button type="button" disabled={page <= 1} onClick={() => open(page - 1)}>Previous</button>
          <span>Page {page} of {pages}</span>
          <button type="button" disabled={page >= pages} onClick={() => open(page + 1)}>Next</button>
        </>
      )}
    </p>
  )
}
