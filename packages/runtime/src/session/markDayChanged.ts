// Notes, in memory, that a session changed: the figures of its day are computed again.
import * as DayMetrics from "@svc/domain/DayMetrics"
import type * as Session from "@svc/domain/Session"
import type { MemoryDatabase } from "../inMemory/MemoryDatabase.ts"

export const markDayChanged = (
  { changedDays }: MemoryDatabase["Service"],
  { created_at }: Pick<Session.Session, "created_at">
): void => {
  changedDays.add(DayMetrics.dayOf(created_at))
}
