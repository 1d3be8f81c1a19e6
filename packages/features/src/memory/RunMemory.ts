// The memories that a run may use: those of its user, if the caller and the user allow it.
import type * as ConversationRequest from "@svc-runtime/agents/agent/read/ConversationRequest"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { Context, type Effect } from "effect"
import type { MemorySettings } from "./MemoryOptions.ts"
import type { MemorySource, MemoryStore } from "./MemoryStore.ts"
import type { MemoryVectorStore } from "./MemoryVectorStore.ts"
import type { TextVectors } from "./TextVectors.ts"

/** What an agent with memory needs. */
export interface MemoryParts {
  readonly memories: MemoryStore["Service"]
  readonly vectors: MemoryVectorStore["Service"]
  readonly texts: TextVectors["Service"]
  readonly settings: MemorySettingsStore["Service"]
  /** The model that reads runs, and its fallbacks. */
  readonly models: ConversationRequest.Models
}

export interface RunMemory extends MemoryParts {
  readonly options: MemorySettings
  readonly user_id: Ids.UserId
  readonly source: Omit<MemorySource, "key" | "lease">
}

/** Whether the user lets agents remember. It is read each time, so that a change counts at once. */
export const isEnabled = (
  { settings, user_id }: Pick<RunMemory, "settings" | "user_id">
): Effect.Effect<boolean, StorageUnavailable> => settings.isEnabled(user_id)

/** Of the executing run, for the tools. Undefined: it has no user, or its caller wants no memory. */
export class CurrentMemory extends Context.Service<CurrentMemory, RunMemory | undefined>()(
  "@svc-runtime/features/memory/RunMemory/CurrentMemory"
) {}
