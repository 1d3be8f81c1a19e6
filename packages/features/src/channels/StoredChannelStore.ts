// Stores the channels that requests make.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { SecretRows } from "../secrets/SecretRows.ts"
import type { Stored } from "./StoredChannel.ts"

interface Store extends SecretRows {
  /** `known`: there is one with this id. `full`: there are too many. */
  readonly create: (channel: Stored, most: number) => Effect.Effect<"created" | "full" | "known", StorageUnavailable>
  readonly find: (id: string) => Effect.Effect<Option.Option<Stored>, StorageUnavailable>
  /** By their ids. */
  readonly all: () => Effect.Effect<ReadonlyArray<Stored>, StorageUnavailable>
  /**
   * False: it is no longer at this revision. With `isOther`, its people can be others than before: the accounts that
   * are linked there and the conversations end.
   */
  readonly replace: (channel: Stored, revision: string, isOther: boolean) => Effect.Effect<boolean, StorageUnavailable>
  /** With the accounts that are linked there, and the conversations. False: there is none. */
  readonly remove: (id: string) => Effect.Effect<boolean, StorageUnavailable>
}

export class StoredChannelStore extends Context.Service<StoredChannelStore, Store>()(
  "@svc-runtime/features/channels/StoredChannelStore"
) {}
