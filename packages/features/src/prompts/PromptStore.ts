// Where prompts are stored. They belong to the service, as stored components do.
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type * as StoredPrompt from "./StoredPrompt.ts"

export interface PromptPage {
  readonly prompts: ReadonlyArray<StoredPrompt.Listed>
  readonly total: number
}

export class PromptStore extends Context.Service<PromptStore, {
  /** The first version. None if there is a prompt of this name, or if there are `StoredPrompt.maxStored`. */
  readonly create: (
    prompt: StoredPrompt.Stored
  ) => Effect.Effect<Option.Option<StoredPrompt.Stored>, StorageUnavailable>
  /** This version of a prompt, if the one before it is the latest. None otherwise. */
  readonly addVersion: (
    prompt: StoredPrompt.Stored
  ) => Effect.Effect<Option.Option<StoredPrompt.Stored>, StorageUnavailable>
  /** The latest version of each prompt, without its text. */
  readonly heads: Effect.Effect<ReadonlyArray<StoredPrompt.Head>, StorageUnavailable>
  /** These versions, in one statement. Missing ones are left out. */
  readonly texts: (
    refs: ReadonlyArray<{ readonly name: string; readonly version: number }>
  ) => Effect.Effect<ReadonlyArray<StoredPrompt.Stored>, StorageUnavailable>
  /** Undefined: the latest version. */
  readonly find: (
    name: string,
    version: number | undefined
  ) => Effect.Effect<Option.Option<StoredPrompt.Stored>, StorageUnavailable>
  /** The latest version of each, in the order of their names. */
  readonly list: (page: Pagination.Request) => Effect.Effect<PromptPage, StorageUnavailable>
  /** Newest first. Empty if there is no such prompt. */
  readonly versions: (name: string) => Effect.Effect<ReadonlyArray<StoredPrompt.Listed>, StorageUnavailable>
  /** All versions. False if there is no such prompt. */
  readonly remove: (name: string) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/features/prompts/PromptStore") {}
