// Stores the images and clips that models make, once for each session: the id of a medium is the hash of its bytes.
// The owner of the session decides who may see them. They are removed with the session.
import type * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type { NewMedium, StoredMedium } from "./StoredMedium.ts"

export class MediaStore extends Context.Service<MediaStore, {
  /** Nothing is stored if the session has the medium, or was removed. */
  readonly put: (session: Session.Id, medium: NewMedium) => Effect.Effect<void, StorageUnavailable>
  /** In any session that the owner may see. */
  readonly find: (id: string, owner: Owner.Owner) => Effect.Effect<Option.Option<StoredMedium>, StorageUnavailable>
  /** None if the medium was removed since. */
  readonly readPart: (
    medium: StoredMedium,
    part: number,
    owner: Owner.Owner
  ) => Effect.Effect<Option.Option<Uint8Array>, StorageUnavailable>
}>()("@svc-runtime/engine/media/MediaStore") {}
