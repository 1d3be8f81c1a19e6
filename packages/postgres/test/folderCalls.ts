// Calls of the store of contents about folders, for the test of plans.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { ContentStore } from "@svc-runtime/features/knowledge/ContentStore"
import { at, newContent } from "@svc-runtime/features/knowledge/test/SampleKnowledge"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const instance = "handbook"

/** Contents with a chunk. One in a hundred is a folder, and the next ninety are its files. */
export const fillFolders = Effect.fnUntraced(function*(rows: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    insert into svc_contents (instance, content_id, status, generation, folder, folder_id, created_at, updated_at)
    select ${instance}, 'content-' || number,
      case number % 1000 when 1 then 'processing' else 'completed' end, 1,
      case number % 100 when 0 then '{"knowledge_id":"a","source_id":"b"}'::jsonb end,
      case when number % 100 between 1 and 90 then 'content-' || number - number % 100 end, number, number
    from generate_series(1, ${rows}::int) as number`
  yield* sql`insert into svc_content_bodies (content_seq, place, bytes) select seq, 0, '' from svc_contents`
  yield* sql`
    insert into svc_chunks (content_seq, generation, place, metadata) select seq, 1, 0, '{}' from svc_contents`
  yield* sql`insert into svc_dead_chunks (content_seq) select seq from svc_contents order by seq limit 10
    on conflict do nothing`
})

export const folderCalls = Effect.gen(function*() {
  const contents = yield* ContentStore
  const folder = yield* contents.put(newContent({ instance }), { folder: { knowledge_id: "a", source_id: "b" } }, at)
  const file = newContent({ instance })
  const due = { instance, knowledge_id: "a", source_id: "b", before: 1000 }
  const calls = {
    "contents.putFile": contents.putFile(folder, file, {}, at),
    "contents.filesOf": contents.filesOf(folder, file.content_id),
    "contents.dueFolders": contents.dueFolders(due),
    "contents.restart": contents.restart(folder, []),
    "contents.failOrphaned": contents.failOrphaned({ kinds: ["kind", "other"], before: 1, status_message: "" }, at),
    "contents.hasLaterJob": contents.hasLaterJob({ id: Job.Id.make("job"), key: "key" }, ["kind", "other"]),
    "contents.remove": contents.remove({ ...folder, owner: Owner.anyone }),
    "contents.removeAll": contents.removeAll({ instance, owner: Owner.anyone }),
    "contents.prune": contents.prune
  }
  return calls
})
