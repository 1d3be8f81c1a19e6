// Replies as they are stored: each has a cause, so that what is done again writes no other one, and a job.
import { NewId } from "@svc-runtime/engine/NewId"
import { now } from "@svc-runtime/engine/now"
import { Effect } from "effect"
import { replyJob } from "./ChannelJobs.ts"
import type { NewReply, Reply } from "./ChannelRows.ts"
import type { Replying } from "./ChannelStore.ts"

/** What a reply says. Its conversation is that of what it replies to, when left out. */
export type Content = Partial<Omit<NewReply, "channel" | "created_at" | "id" | "sender">>

/** What is replied to. */
export interface About extends Pick<Reply, "channel" | "is_direct" | "place" | "sender" | "thread"> {
  readonly cause: string
}

export const make = Effect.fnUntraced(function*(
  { cause, ...about }: About,
  says: ReadonlyArray<Content>
) {
  const [newId, at] = [yield* NewId, yield* now]
  return yield* Effect.forEach(says, (content, index) => {
    const row: NewReply = {
      ...about,
      id: newId(),
      cause: index === 0 ? cause : `${cause} ${index}`,
      user_id: null,
      run: null,
      text: null,
      pending: null,
      asks: null,
      edits: null,
      posts: [],
      created_at: at,
      ...content
    }
    return Effect.map(replyJob(row), (job): Replying => ({ row, job }))
  })
})
