// The audit log. Changes of service accounts and erasures of memory are in it too: they are stored with what they
// change.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Change } from "@svc-runtime/http/authorization/ChangeRecorder"
import { Context, type Effect } from "effect"
import type * as AuditEntry from "./AuditEntry.ts"

export interface AuditPage {
  readonly entries: ReadonlyArray<AuditEntry.AuditEntry>
  readonly total: number
}

/** What is known of a change after its request. */
export interface Ended {
  /** Null: it is not known. */
  readonly status: number | null
  /** What the request created, or changed by its body. Empty: the id of the beginning stays. */
  readonly subject_ids: ReadonlyArray<string>
  /** How many it changed, if they are too many for an entry each. */
  readonly counts?: Readonly<Record<string, number>> | undefined
}

export class AuditStore extends Context.Service<AuditStore, {
  /** Before the change is made. Returns the id of the entry. */
  readonly begin: (change: Change, at: number) => Effect.Effect<number, StorageUnavailable>
  /** The first subject is that of the entry, and each further one has an entry of its own. */
  readonly end: (id: number, ended: Ended) => Effect.Effect<void, StorageUnavailable>
  /** The newest first. The owner is the actor. */
  readonly list: (
    filter: AuditEntry.Filter,
    owner: Owner.Owner,
    page: Pagination.Request
  ) => Effect.Effect<AuditPage, StorageUnavailable>
  /** Entries after the one with this id, in the order of their ids. At most `limit`. */
  readonly after: (
    id: number,
    filter: AuditEntry.Filter,
    owner: Owner.Owner,
    limit: number
  ) => Effect.Effect<ReadonlyArray<AuditEntry.AuditEntry>, StorageUnavailable>
}>()("@svc-runtime/features/audit/AuditStore") {}
