// Notes, in memory, that a session changed: the figures of its day are computed again.
import type * as Session from "@svc-runtime/domain/Session"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

export const markDayChanged = (
  { changedDays }: MemoryDatabase["Service"],
  { created_at }: Pick<Session.Session, "created_at">
): void => {
  changedDays.add(DayMetrics.dayOf(created_at))
}
