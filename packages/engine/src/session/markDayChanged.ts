// Notes, in memory, that a session changed: the figures of its day are computed again.
import type { MemoryDatabase } from "@svc-runtime/agents/inMemory/MemoryDatabase"
import type * as Session from "@svc-runtime/domain/Session"
import * as DayMetrics from "@svc-runtime/features/metrics/DayMetrics"

export const markDayChanged = (
  { changedDays }: MemoryDatabase["Service"],
  { created_at }: Pick<Session.Session, "created_at">
): void => {
  changedDays.add(DayMetrics.dayOf(created_at))
}
