// The job that writes the replies of one conversation in their order. It follows the run of a reply on whichever node
// that is executed, and shows its words while they come.
import * as Caller from "@svc-runtime/agents/runService/Caller"
import type * as Adapter from "@svc-runtime/channels/Adapter"
import type { ChannelError } from "@svc-runtime/channels/ChannelError"
import * as JobKind from "@svc-runtime/engine/jobs/JobKind"
import { now } from "@svc-runtime/engine/now"
import { awaitElsewhere } from "@svc-runtime/engine/run/events/awaitElsewhere"
import { Effect, Latch, Option, Schema, Stream } from "effect"
import { pauseJob, replyShape } from "./ChannelJobs.ts"
import { ChannelLinkStore } from "./ChannelLinkStore.ts"
import { type Pending, promptOf, type Reply, type ShownRun } from "./ChannelRows.ts"
import { ChannelStore } from "./ChannelStore.ts"
import * as Files from "./Files.ts"
import * as LinkCode from "./LinkCode.ts"
import { type LiveChannel, LiveChannels } from "./LiveChannels.ts"
import * as Prompts from "./Prompts.ts"
import * as ReplyPosts from "./ReplyPosts.ts"
import * as RunView from "./RunView.ts"
import * as Sentences from "./Sentences.ts"

/** How long one execution waits for a run. The next one continues. */
const waiting = "10 minutes"

/** Seconds for which a reply waits for a node that has its channel. */
const untilGone = 86_400

/** Attempts at a reply that ends each of them unexpectedly: the replies behind it wait meanwhile. */
const maxDefects = 4

/** Seconds until the database is questionOf again: its failures are no attempts. */
const away = 5

const typingEvery = "4 seconds"

export class NotPosted extends Schema.TaggedError<NotPosted>()("NotPosted", {
  message: Schema.String,
  retryAfter: Schema.Finite
}) {}

/** The words, and behind them what the service adds. */
const joined = (text: string, added: string): string =>
  text === "" || added === "" ? text + added : `${text}\n\n${added}`

const textOf = (view: RunView.RunView, end: Exclude<RunView.End, { readonly _tag: "Paused" }>): string => {
  const text = view.text()
  switch (end._tag) {
    case "Completed":
      return text === "" ? Sentences.done : text
    case "Failed":
      return joined(text, Sentences.failed(end.error_id))
    case "Cancelled":
      return joined(text, Sentences.stopped)
  }
}

export const kind = Effect.gen(function*() {
  const [store, links, channels] = [yield* ChannelStore, yield* ChannelLinkStore, yield* LiveChannels]

  /** Shows the run until it ends or pauses. None: it does neither for long. */
  const follow = Effect.fnUntraced(function*(run: ShownRun, posts: ReplyPosts.ReplyPosts) {
    const runs = yield* channels.runs
    const { after, run_id, session_id } = run
    const caller = Caller.internal()
    let view = RunView.make(run_id, after)
    const isChanged = Latch.makeUnsafe(true)

    const read = awaitElsewhere(Effect.gen(function*() {
      const watched = yield* runs.watch({ caller, component: undefined, run_id, session_id, after: -1 })
      const fresh = RunView.make(run_id, after)
      view = fresh
      yield* Stream.runForEach(watched.events, (event) =>
        Effect.sync(() => {
          fresh.push(event)
          isChanged.openUnsafe()
        }))
    }))

    /** What fails meanwhile is written at the end. */
    const showing = Effect.gen(function*() {
      yield* isChanged.await
      isChanged.closeUnsafe()
      yield* Effect.uninterruptible(posts.show({ text: view.text(), status: view.status(), isFinal: false }))
    }).pipe(
      Effect.catchTag("ChannelError", (error) =>
        error.reason === "rate_limited" || error.reason === "temporary"
          ? Effect.sleep(`${error.retryAfter ?? 1} seconds`)
          : Effect.never),
      Effect.forever
    )
    const typing = Effect.forever(Effect.andThen(posts.typing, Effect.sleep(typingEvery)))

    const shown = posts.isLive
      ? Effect.raceFirst(read, Effect.raceFirst(showing, typing))
      : Effect.raceFirst(read, typing)
    const isOver = yield* Effect.timeoutOption(shown, waiting)
    return Option.isNone(isOver) ? Option.none() : Option.some(view)
  })

  /** A code is made when it is written, so that it is stored as a hash only. */
  const linkOf = Effect.fnUntraced(function*({ channel, sender }: Reply) {
    const [code, at] = [LinkCode.make(), yield* now]
    const { id = "", name = null } = sender ?? {}
    const expires_at = at + LinkCode.lifetime
    yield* links.putCode({ channel, sender: id, name, hash: LinkCode.hash(code), expires_at }, at)
    return Sentences.link(code, channels.publicUrl())
  })

  const questionOf = (id: string, { awaits, choices }: Pending, sender: string | undefined) => {
    const person = awaits?.sender ?? (choices.length === 0 ? sender : undefined)
    return {
      ...(choices.length === 0 ? {} : { prompt: { id: promptOf(id), choices } }),
      ...(person === undefined ? {} : { asks: { sender: person } })
    }
  }

  /** False: the run takes longer, and the job is executed again. */
  const write = Effect.fnUntraced(function*(reply: Reply, { adapter }: LiveChannel, posts: ReplyPosts.ReplyPosts) {
    const { asks, channel, id, pending, run, sender, text, thread } = reply
    const writeAsking = Effect.fnUntraced(function*(
      run: ShownRun,
      pending: Pending,
      files: ReadonlyArray<Adapter.File>
    ) {
      // stored before people see it, with what looks whether it is decided elsewhere
      yield* store.pending(id, pending, yield* pauseJob({ channel, thread, run_id: run.run_id }))
      const isDecided = Option.exists(yield* store.asking(channel, promptOf(id)), ({ is_decided }) => is_decided)
      const question = isDecided ? {} : questionOf(id, pending, sender?.id)
      yield* posts.show({ text: pending.text, files, isFinal: true, ...question })
      return true
    })
    // an attempt before this one has stored it, and the run can have continued since
    if (run !== null && pending !== null) return yield* writeAsking(run, pending, [])
    if (text !== null || run === null) {
      const isQuestion = asks !== null && sender !== null
      yield* posts.show({
        text: text ?? (yield* linkOf(reply)),
        isFinal: true,
        ...(isQuestion ? { asks: { sender: sender.id, placeholder: asks } } : {})
      })
      return true
    }
    const followed = yield* follow(run, posts).pipe(
      Effect.catchTag("RunNotFound", () => Effect.succeed("gone" as const))
    )
    if (followed === "gone") {
      yield* posts.show({ text: Sentences.gone, isFinal: true })
      return true
    }
    if (Option.isNone(followed)) return false
    const view = followed.value
    const end = view.end()
    // an unfinished run whose events end is continued elsewhere
    if (end === undefined) return false
    const { files, notes } = Files.ofAnswer(view.media(), adapter.limits.file)
    if (end._tag !== "Paused") {
      yield* posts.show({ text: joined(textOf(view, end), notes.join("\n")), files, isFinal: true })
      return true
    }
    const [question] = end.questions
    const asking = question === undefined
      ? { question: "", choices: [], text: end.text }
      : Prompts.pendingOf(question, adapter.limits, sender?.id ?? "")
    const shown = joined(view.text(), notes.join("\n"))
    const pausing = { ...asking, text: joined(shown, asking.text), answers: [], after: view.count() }
    return yield* writeAsking(run, pausing, files)
  })

  const end = (reply: Reply, error: string | null) =>
    Effect.flatMap(now, (at) => store.written(reply.id, { at, error }))

  /** A platform that refuses this message refuses it again. */
  const failed = Effect.fnUntraced(function*(reply: Reply, error: ChannelError, isLast: boolean) {
    const { message, reason, retryAfter = 1 } = error
    if (reason !== "rate_limited") yield* store.failed(reply.channel, { kind: "post", message, at: yield* now })
    if (reason === "permanent" || isLast) {
      yield* Effect.logError("A reply could not be written to a channel", message)
      yield* end(reply, message)
      return
    }
    return yield* new NotPosted({
      message,
      retryAfter: reason === "unauthorized" ? Math.max(30, retryAfter) : retryAfter
    })
  })

  return JobKind.make({
    ...replyShape,
    concurrency: channels.limits.concurrency,
    handle: Effect.fnUntraced(
      function*(of, context) {
        for (;;) {
          const next = yield* store.nextReply(of)
          if (Option.isNone(next)) return
          const reply = next.value
          const found = yield* channels.find(reply.channel)
          if (Option.isNone(found)) {
            if ((yield* now) - reply.created_at < untilGone) return yield* context.postpone(30)
            yield* end(reply, "The channel is gone")
            continue
          }
          const edited = reply.edits === null
            ? Option.none()
            : yield* store.asking(reply.channel, promptOf(reply.edits))
          const posts = ReplyPosts.make({
            channel: found.value,
            reply: Option.match(edited, { onNone: () => reply, onSome: ({ posts }) => ({ ...reply, posts }) }),
            store,
            guard: context.guard
          })
          const isWritten = yield* write(reply, found.value, posts).pipe(
            Effect.tap((isWritten) => isWritten ? end(reply, null) : Effect.void),
            Effect.catchTag("ChannelError", (error) => Effect.as(failed(reply, error, JobKind.isLast(context)), true)),
            Effect.catchDefect((defect) =>
              context.job.attempts < maxDefects ? Effect.die(defect) : Effect.andThen(
                Effect.logError("A reply could not be written to a channel", defect),
                Effect.as(end(reply, "It cannot be written"), true)
              )
            )
          )
          if (!isWritten) return yield* context.postpone(1)
          yield* context.progressed
        }
      },
      (effect, { channel, thread }, { postpone }) =>
        effect.pipe(
          Effect.catchTag("StorageUnavailable", (error) =>
            Effect.andThen(Effect.logWarning("The replies of a channel wait for the database", error), postpone(away))),
          Effect.annotateLogs({ channel, thread })
        )
    )
  })
})
