// Folders of content sources: a content that is one has how its files are stored, and each file has its folder. A folder
// has at most some thousand files, and few contents are folders.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table svc_contents add column folder jsonb, add column folder_id text collate "C"`
  yield* sql`create index svc_contents_folders on svc_contents (instance, updated_at) where folder is not null`
  yield* sql`
    create index svc_contents_in_folders on svc_contents (instance, folder_id, content_id)
    where folder_id is not null`
})
