// The job that tools, steps and hooks enqueue to write to people.
import * as Owner from "@svc-runtime/domain/Owner"
import * as Session from "@svc-runtime/domain/Session"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { Effect, Option } from "effect"
import { createHash } from "node:crypto"
import { messageShape } from "./ChannelJobs.ts"
import type { To } from "./ChannelMessage.ts"
import { LiveChannels } from "./LiveChannels.ts"

const rejected = (message: string) => new JobKind.JobRejected({ message })

/** The conversations are those of the service's own database, also for runs in another one. */
export const kind = Effect.map(LiveChannels, (channels) =>
  JobKind.make({
    ...messageShape,
    concurrency: 8,
    handle: Effect.fnUntraced(function*({ channel, key, text, to }, { job }: JobKind.JobContext) {
      const { placeOf, send } = yield* channels.messages
      const here = to === undefined && job.session_id !== null
        ? Option.getOrUndefined(yield* placeOf(Session.Id.make(job.session_id)))
        : undefined
      const isHere = here !== undefined && (channel === undefined || channel === here.channel)
      const all = yield* channels.all
      const id = isHere ? here.channel : channel ?? (all.length === 1 ? all[0]?.id : undefined)
      if (id === undefined) return yield* rejected("The message names no channel, and there is not one only")
      const found = yield* channels.find(id)
      if (Option.isNone(found)) return yield* rejected(`There is no channel '${id}'`)
      const addressee: To | undefined = to ??
        (isHere ? { thread: here.thread } : job.user_id === null ? undefined : { user_id: job.user_id })
      if (addressee === undefined) return yield* rejected("The run has no user. Say in `to` who gets the message")
      const message = { id: key === undefined ? job.id : idOf(id, key), text, to: addressee }
      // the code of the author decides to whom it writes
      yield* send(found.value, message, Owner.anyone).pipe(
        Effect.catchTags({
          AddresseeUnknown: ({ message }) => rejected(message),
          ChannelError: (error) =>
            error.reason === "permanent" || error.reason === "unauthorized"
              ? rejected(error.message)
              : Effect.fail(error)
        })
      )
    })
  }))

const idOf = (channel: string, key: string): string =>
  createHash("sha256").update(JSON.stringify([channel, key])).digest("hex")
