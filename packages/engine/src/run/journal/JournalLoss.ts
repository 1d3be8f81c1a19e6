// Detects that journal entries of a run were lost. A run that replays the remaining ones would repeat its calls.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"

export const journalIncomplete = "entries of its journal are missing, and what it did already would be repeated"

/** Events that no run stores before its first journal entry. */
export const kindsAfterEntry: ReadonlyArray<RunEvent.RunEvent["event"]> = ["ToolCallStarted", "TeamToolCallStarted"]
