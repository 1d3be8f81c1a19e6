// Stores which people on platforms are users of the service, and the codes with which they show it.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { Code, Link, Linking } from "./ChannelLink.ts"

export class ChannelLinkStore extends Context.Service<ChannelLinkStore, {
  readonly find: (channel: string, sender: string) => Effect.Effect<Option.Option<Link>, StorageUnavailable>
  /** The last account on the channel that the user has linked. */
  readonly ofUser: (
    channel: string,
    user_id: Ids.UserId
  ) => Effect.Effect<Option.Option<Link>, StorageUnavailable>
  /** Replaces the code of the person. */
  readonly putCode: (code: Code, at: number) => Effect.Effect<void, StorageUnavailable>
  /** Whose code it is, while it is valid. */
  readonly whose: (hash: string, at: number) => Effect.Effect<Option.Option<Linking>, StorageUnavailable>
  /** Uses the code up, and replaces the link of the person. None if it is not valid. */
  readonly link: (
    hash: string,
    link: Omit<Link, keyof Linking>
  ) => Effect.Effect<Option.Option<Link>, StorageUnavailable>
  /** The newest first. */
  readonly list: (
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<{ readonly links: ReadonlyArray<Link>; readonly total: number }, StorageUnavailable>
  readonly remove: (id: string, owner: Owner.Owner) => Effect.Effect<boolean, StorageUnavailable>
  readonly removeOf: (user_id: Ids.UserId) => Effect.Effect<number, StorageUnavailable>
}>()("@svc-runtime/features/channels/ChannelLinkStore") {}
