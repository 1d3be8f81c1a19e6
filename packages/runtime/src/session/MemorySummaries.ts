// The summaries of sessions, and the search of past sessions, in memory.
import type * as Ids from "@svc/domain/Ids"
import type * as Message from "@svc/domain/Message"
import * as Run from "@svc/domain/Run"
import * as Session from "@svc/domain/Session"
import { Effect, Option } from "effect"
import type { MemoryDatabase, StoredRun, StoredSession } from "../MemoryDatabase.ts"
import type { SessionStore } from "./SessionStore.ts"
import { type PastQuery, type PastSession, pieceLimits, searchLimits, type Unsummarized } from "./SessionSummaries.ts"

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const bytesOf = (messages: ReadonlyArray<Message.Message>): number =>
  messages.filter(({ from_history, role }) => !from_history && role !== "system" && role !== "developer")
    .reduce((sum, message) => sum + byteLength(JSON.stringify(message)), 0)

const isChat = ({ from_history, role }: Message.Message): boolean =>
  !from_history && (role === "user" || role === "assistant")

const isShown = ({ output }: StoredRun): boolean => output.status === "COMPLETED" && output.parent_run_id === undefined

const versionOf = (summary: Session.Summary | null): string | null => summary === null ? null : JSON.stringify(summary)

/** The first ones that fit. The first one is there in any case. */
const pieceOf = (runs: ReadonlyArray<StoredRun>): ReadonlyArray<StoredRun> => {
  let bytes = 0
  const end = runs.findIndex(({ messages }, place) => (bytes += bytesOf(messages)) > pieceLimits.bytes && place > 0)
  return end < 0 ? runs : runs.slice(0, end)
}

/** The last messages that fit. */
const chatIn = (runs: ReadonlyArray<StoredRun>): Unsummarized["messages"] => {
  const all = runs.flatMap(({ messages }) => messages.filter(isChat))
  let bytes = 0
  const last = all.findLastIndex((message) => (bytes += byteLength(JSON.stringify(message))) > pieceLimits.messageBytes)
  return all.slice(last + 1).map(({ content, from_history, role }) => ({
    role,
    from_history,
    ...(content === undefined ? {} : { content })
  }))
}

const textOf = ({ messages }: StoredRun): string =>
  messages.filter(isChat).slice(0, searchLimits.messages)
    .filter((message) => byteLength(JSON.stringify(message)) <= searchLimits.messageBytes)
    .flatMap(({ content, role }) => content === undefined ? [] : [`${role}: ${content}`]).join("\n")

export const make = (database: MemoryDatabase["Service"]) => {
  const { memoryErasures, runs, runsOf, sessions } = database

  const runsIn = (id: Session.Id): ReadonlyArray<StoredRun> =>
    (runsOf.get(id) ?? []).flatMap((run) => runs.get(run) ?? [])

  const erasedRun = (user_id: Ids.UserId | null): number => user_id === null ? 0 : memoryErasures.get(user_id) ?? 0

  const unsummarized: SessionStore["Service"]["unsummarized"] = (id, threshold, including) =>
    Effect.sync(() => {
      const found = sessions.get(id)
      if (found === undefined) return Option.none()
      const { session: { summary, user_id }, summarizedRun = 0 } = found
      const after = Math.max(summarizedRun, erasedRun(user_id))
      const all = runsIn(id)
      const underWay = all.find(({ output }) =>
        output.parent_run_id === undefined && Run.isUnderWay(output.status) && output.run_id !== including
      )
      const isIncluded = ({ output }: StoredRun) => output.run_id === including
      const candidates = all.filter((run) =>
        run.sequence > after && run.sequence < (underWay?.sequence ?? Number.POSITIVE_INFINITY) &&
        (isShown(run) || isIncluded(run))
      ).slice(0, pieceLimits.runs)
      const bytes = candidates.reduce((sum, { messages }) => sum + bytesOf(messages), 0)
      if (candidates.length < threshold.runs && bytes < threshold.bytes) return Option.none()
      const piece = pieceOf(candidates)
      const [first, last] = [piece[0], piece.at(-1)]
      if (first === undefined || last === undefined) return Option.none()
      const given: Unsummarized = {
        user_id,
        summary,
        version: versionOf(summary),
        first: first.sequence,
        last: last.sequence,
        messages: chatIn(piece.filter(isShown)),
        isRunIncluded: isIncluded(last)
      }
      return Option.some(given)
    })

  const searchPast = (query: PastQuery): ReadonlyArray<PastSession> => {
    const { componentId, current, kind, user_id } = query
    const words = query.words.map((word) => word.toLowerCase())
    const wordsIn = (text: string) => words.filter((word) => text.toLowerCase().includes(word))
    const erased = erasedRun(user_id)
    const isPast = ({ session }: StoredSession) =>
      session.user_id === user_id && session.session_type === kind &&
      Session.componentIdOf(session) === componentId && session.session_id !== current
    const past = [...sessions.values()].filter(isPast)
      .sort((left, right) => right.session.created_at - left.session.created_at || right.sequence - left.sequence)
      .slice(0, searchLimits.sessions)
      .filter(({ session }) => runsIn(session.session_id).every(({ sequence }) => sequence > erased))
    let bytes = 0
    const found = past.map(({ session }, place) => {
      const texts = runsIn(session.session_id).filter(isShown).slice(-searchLimits.runs).toReversed()
        .filter(({ messages }) => (bytes += bytesOf(messages)) <= searchLimits.bytes)
        .map((run) => ({ text: textOf(run), words: wordsIn(textOf(run)) }))
      const own = [session.session_name, session.derived_name, session.summary?.summary].join("\n")
      const score = new Set([...wordsIn(own), ...texts.flatMap((each) => each.words)]).size
      return { session, texts, score, place }
    })
    return found.filter(({ score }) => words.length === 0 || score > 0)
      .sort((left, right) => right.score - left.score || left.place - right.place).slice(
        0,
        Math.min(query.sessions, searchLimits.foundSessions)
      )
      .map(({ session, texts }) => ({
        session_id: session.session_id,
        name: Session.nameOf(session).slice(0, searchLimits.name),
        created_at: session.created_at,
        summary: session.summary,
        runs: texts.toSorted((left, right) => right.words.length - left.words.length).slice(
          0,
          Math.min(query.runs, searchLimits.foundRuns)
        )
          .map(({ text }) => text.slice(0, searchLimits.runText))
      }))
  }

  return {
    findSummary: (id) => Effect.sync(() => Option.fromNullishOr(sessions.get(id)?.session.summary)),
    unsummarized,
    summarize: ({ first, last, session_id, summary, user_id, version }) =>
      Effect.sync(() => {
        const found = sessions.get(session_id)
        const isCurrent = found !== undefined && versionOf(found.session.summary) === version &&
          (found.summarizedRun ?? 0) < first && erasedRun(user_id) < first
        if (isCurrent) {
          sessions.set(session_id, { ...found, session: { ...found.session, summary }, summarizedRun: last })
        }
        return isCurrent
      }),
    searchPast: (query) => Effect.sync(() => searchPast(query)),
    removeSummaries: (user_id) =>
      Effect.sync(() => {
        memoryErasures.set(user_id, database.next())
        const found = [...sessions].filter(([, { session }]) => session.user_id === user_id && session.summary !== null)
        for (const [id, stored] of found) {
          sessions.set(id, { ...stored, session: { ...stored.session, summary: null } })
        }
        return found.length
      })
  } satisfies Partial<SessionStore["Service"]>
}
