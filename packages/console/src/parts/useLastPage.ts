import type { PaginationInfo } from "@svc-runtime/client"
import { useEffect } from "preact/hooks"
import { query } from "../Route.ts"

interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly meta: PaginationInfo
}

/** Opens the last page of a list instead of a page after it, such as one whose last entry was deleted. */
export const useLastPage = (page: Page | undefined): void => {
  const { total_count: count = 0, total_pages: last = 0 } = page?.meta ?? {}
  const isAfter = page?.data.length === 0 && count > 0 && last > 0
  useEffect(() => {
    if (isAfter) query({ page: String(last) })
  }, [isAfter, last])
}
