// Stores an upload with its job. Requests with one idempotency key store once, and so do equal uploads: what is stored
// and being processed, or processed, is the response to them. What is fetched by its job may have changed there.
import * as Owner from "@svc-runtime/domain/Owner"
import { isStorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as IdempotencyClaim from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import { now } from "@svc-runtime/engine/now"
import * as UnreadableRow from "@svc-runtime/engine/UnreadableRow"
import { Effect } from "effect"
import * as ContentUpload from "./ContentUpload.ts"
import * as FolderJob from "./FolderJob.ts"
import * as IngestionJob from "./IngestionJob.ts"
import { TooManyUploads } from "./KnowledgeErrors.ts"
import type { Instance } from "./KnowledgeRegistry.ts"
import type { Stores } from "./KnowledgeStores.ts"

export interface Storing {
  /** Whose share of the readers it takes. */
  readonly caller: string
  /** Whether as many uploads of the caller wait as may. */
  readonly isLimited: boolean
  readonly upload: ContentUpload.Upload
  /** How the files of a folder are stored. */
  readonly folder?: FolderJob.FolderSettings | undefined
  /** Undefined when the request has none. */
  readonly key: IdempotencyClaim.IdempotencyKey | undefined
}

export interface Options extends Pick<Stores, "contents" | "countWaiting" | "signal"> {
  readonly waitingUploads: number
  readonly instance: Instance
  readonly idempotency: IdempotencyStore["Service"]
}

const isFetched = ({ source: { _tag } }: ContentUpload.Upload): boolean => _tag === "Url" || _tag === "Remote"

/** `stored` is undefined if there was nothing to store. */
export const storeOnce = Effect.fnUntraced(function*(
  { contents, countWaiting, idempotency, instance, signal, waitingUploads }: Options,
  { caller, folder, isLimited, key, upload }: Storing
) {
  const { body, content: prepared } = yield* ContentUpload.prepare(instance, upload)
  const content = folder === undefined ? prepared : { ...prepared, type: ContentUpload.types.folder }
  const { content_id, user_id } = content
  const owner = user_id === null ? Owner.anyone : Owner.user(user_id)
  const current = contents.get({ instance: instance.name, content_id, owner })
  const known = yield* UnreadableRow.orElse(
    Effect.catchTag(current, "ContentNotFound", () => Effect.undefined),
    ({ message }) => Effect.as(Effect.logWarning(`An upload replaces a content. ${message}`), undefined)
  )
  const isSame = known !== undefined && known.digest === content.digest && known.status !== "failed" &&
    !isFetched(upload)
  const claimed = key === undefined
    ? undefined
    : yield* IdempotencyClaim.claim(idempotency, key, { knowledge_id: instance.id, is_stored: isSame })
  if (upload.source._tag === "Nothing") return { content, stored: undefined }
  // the response to a repeated request is what the content is now
  if (isSame || claimed?.subject["is_stored"] === true) return { content, stored: yield* current }
  // simultaneous uploads can be a few more
  if (isLimited && claimed?.isNew !== false) {
    const kinds = [IngestionJob.names.upload, IngestionJob.names.fetched]
    if ((yield* countWaiting(kinds, caller, waitingUploads)) >= waitingUploads) {
      if (claimed !== undefined) yield* claimed.release
      return yield* new TooManyUploads({ limit: waitingUploads })
    }
  }
  const job_id = claimed?.claim_id
  const job = yield* Effect.orDie(
    folder === undefined
      ? IngestionJob.of(instance, content, { ...upload, caller, job_id })
      : FolderJob.of(content, folder, { caller, job_id })
  )
  const stored = yield* contents.put(content, { body, folder, jobs: [job] }, yield* now).pipe(
    Effect.catchTag("ContentStoredBefore", () => current),
    // whether it is stored is unknown if the database did not reply
    Effect.tapError((error) => claimed?.isNew !== true || isStorageUnavailable(error) ? Effect.void : claimed.release)
  )
  yield* signal
  return { content, stored }
})
