// Calls of the store of media, for the tests of plans and of faults.
import * as Owner from "@svc-runtime/domain/Owner"
import { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Each session has two. */
export const fillMedia = Effect.fnUntraced(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_media (session_id, hash, part, mime_type, size, body)
    select session_id, md5(session_id) || n, 0, 'image/png', 1, '\\x00'::bytea
    from svc_sessions, generate_series(1, 2) n`
})

export const mediaCalls = Effect.map(MediaStore, (media) => {
  const session_id = sessionId()
  const id = "0".repeat(64)
  return {
    "media.put": media.put(session_id, { id, mime_type: "image/png", bytes: new Uint8Array([1]) }),
    "media.find": media.find(id, Owner.anyone),
    "media.readPart": media.readPart({ id, session_id, mime_type: "image/png", size: 1 }, 0, Owner.anyone)
  }
})
