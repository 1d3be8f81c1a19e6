// The summaries of sessions, and the search of past sessions, in memory.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import {
  type FoundMessage,
  historyLimits,
  type HistoryQuery,
  maxPassedRuns,
  type PastQuery,
  type PastSession,
  pieceLimits,
  searchLimits,
  type Unsummarized
} from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option } from "effect"
import { type MemoryDatabase, originOf, type StoredRun, type StoredSession } from "./MemoryDatabase.ts"
import * as MemoryPath from "./MemoryPath.ts"
import { isShown } from "./MemoryRunReading.ts"

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const bytesOf = (messages: ReadonlyArray<Message.Message>): number =>
  messages.filter(({ from_history, role }) => !from_history && role !== "system" && role !== "developer")
    .reduce((sum, message) => sum + byteLength(JSON.stringify(message)), 0)

const isChat = ({ from_history, role }: Message.Message): boolean =>
  !from_history && (role === "user" || role === "assistant")

const isRoot = ({ output }: StoredRun): boolean => output.parent_run_id === undefined

const isCompleted = (run: StoredRun): boolean => run.output.status === "COMPLETED" && isRoot(run)

const isFound = (run: StoredRun): boolean => isCompleted(run) && run.isWithoutMemory !== true

/** It can complete no more, and has not completed. */
const isEnded = ({ output: { status } }: StoredRun): boolean => status === "CANCELLED" || status === "REGENERATED"

const versionOf = ({ passedRuns = [], session: { summary }, summarizedRun = 0 }: StoredSession): string =>
  JSON.stringify([summary, summarizedRun, passedRuns])

/** A run that could be part of a summary. */
interface Candidate {
  readonly run: StoredRun
  /** False: it is covered without having been read. */
  readonly isRead: boolean
  readonly bytes: number
}

/** The first ones that fit. The first one is there in any case. */
const pieceOf = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  let total = 0
  const end = candidates.findIndex(({ bytes }, place) => (total += bytes) > pieceLimits.bytes && place > 0)
  return end < 0 ? candidates : candidates.slice(0, end)
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
  const path = MemoryPath.make(database)

  const runsIn = (id: Session.Id): ReadonlyArray<StoredRun> =>
    (runsOf.get(id) ?? []).flatMap((run) => runs.get(run) ?? [])

  /** What the next summary of a path begins with: nothing if the stored one is of another path. */
  const baseOf = (found: StoredSession, end: MemoryPath.End) => {
    const { passedRuns = [], session, summarizedRun = 0 } = found
    return path.covers(found, end)
      ? { session, summary: session.summary, passedRuns, summarizedRun }
      : { session, summary: null, passedRuns: [], summarizedRun: 0 }
  }

  const erasedRun = (user_id: Ids.UserId | null): number => user_id === null ? 0 : memoryErasures.get(user_id) ?? 0

  const unsummarized: SessionStore["Service"]["unsummarized"] = (id, threshold, including) =>
    Effect.sync(() => {
      const found = sessions.get(id)
      if (found === undefined) return Option.none()
      const { passedRuns, session: { user_id }, summarizedRun, summary } = baseOf(found, found.leafRun)
      const onPath = path.numbers(id, found.leafRun)
      const erased = erasedRun(user_id)
      const after = Math.max(summarizedRun, erased)
      const all = runsIn(id)
      const active = all.find((run) =>
        isRoot(run) && Run.isActive(run.output.status) && run.output.run_id !== including
      )
      const isIncluded = ({ output }: StoredRun) => output.run_id === including
      const candidates = all.filter((run) =>
        onPath.has(run.sequence) && (run.sequence > after || passedRuns.includes(run.sequence)) &&
        run.sequence < (active?.sequence ?? Number.POSITIVE_INFINITY) && (isCompleted(run) || isIncluded(run))
      ).slice(0, pieceLimits.runs).map((run): Candidate => {
        const isRead = run.isWithoutMemory !== true && originOf(run) > erased
        return { run, isRead, bytes: isRead && isCompleted(run) ? bytesOf(run.messages) : 0 }
      })
      const bytes = candidates.reduce((sum, { bytes }) => sum + bytes, 0)
      const isDue = candidates.filter(({ isRead }) => isRead).length >= threshold.runs ||
        bytes >= threshold.bytes || candidates.length >= pieceLimits.runs
      const piece = pieceOf(candidates)
      const last = piece.at(-1)?.run
      if (!isDue || last === undefined) return Option.none()
      const shown = piece.flatMap(({ isRead, run }) => isRead ? [run] : [])
      const given: Unsummarized = {
        user_id,
        summary,
        version: versionOf(found),
        covered: piece.map(({ run }) => run.sequence),
        first: Math.min(last.sequence, ...shown.map(originOf)),
        last: Math.max(summarizedRun, last.sequence),
        messages: chatIn(shown.filter(isCompleted)),
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
      .flatMap((stored) => {
        const { leafRun, session: all } = stored
        const [first] = runsIn(all.session_id)
        if (first !== undefined && originOf(first) <= erased) return []
        const session = { ...all, summary: baseOf(stored, leafRun).summary }
        return [{ session: first?.isWithoutMemory === true ? { ...session, derived_name: null } : session, leafRun }]
      })
    let bytes = 0
    const found = past.map(({ leafRun, session }, place) => {
      const texts = [...path.backwards(session.session_id, leafRun)].reverse().filter(isCompleted).slice(
        -searchLimits.runs
      ).toReversed().filter(
        isFound
      )
        .filter(({ messages }) => (bytes += bytesOf(messages)) <= searchLimits.bytes)
        .map((run) => ({ text: textOf(run), words: wordsIn(textOf(run)) }))
      const own = [session.session_name, session.derived_name, session.summary?.summary].join("\n")
      const score = new Set([...wordsIn(own), ...texts.flatMap((each) => each.words)]).size
      return { session, texts, score, place }
    })
    const isEmpty = ({ session, texts }: (typeof found)[number]) =>
      texts.length === 0 && session.summary === null && Session.nameOf(session) === ""
    return found.filter((each) => words.length === 0 ? !isEmpty(each) : each.score > 0)
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

  const searchHistory = ({ except, run_id, session_id, words }: HistoryQuery): ReadonlyArray<FoundMessage> => {
    const asking = runs.get(run_id)
    if (asking === undefined || asking.output.session_id !== session_id) return []
    const wanted = words.map((word) => word.toLowerCase())
    let bytes = 0
    return [...path.backwards(session_id, MemoryPath.before(asking))]
      .filter((run) => isShown(run, asking.skipsUnfinished === true))
      .slice(0, historyLimits.runs)
      .filter(({ messages }) => (bytes += bytesOf(messages)) <= historyLimits.bytes)
      .flatMap(({ messages }) => messages.toReversed())
      .filter(({ from_history, role }) => !from_history && role !== "system" && role !== "developer")
      .filter(({ in_context, tool_name }) =>
        in_context !== "left_out" && (except === undefined || tool_name !== except)
      )
      .filter((message) => byteLength(JSON.stringify(message)) <= historyLimits.messageBytes)
      .flatMap(({ content = "", role, tool_name = "" }) => {
        const places = wanted.map((word) => content.toLowerCase().indexOf(word)).filter((place) => place >= 0)
        const from = Math.max(0, Math.min(...places) - historyLimits.before)
        const text = content.slice(from, from + historyLimits.text)
        return places.length === 0 ? [] : [{ count: places.length, found: { role, tool_name, text } }]
      })
      .toSorted((left, right) => right.count - left.count)
      .slice(0, historyLimits.found)
      .map(({ found }) => found)
  }

  return {
    findSummary: (id, run) =>
      Effect.sync(() => {
        const [found, stored] = [sessions.get(id), runs.get(run)]
        const end = stored === undefined ? undefined : MemoryPath.before(stored)
        return found === undefined ? Option.none() : Option.fromNullishOr(baseOf(found, end).summary)
      }),
    unsummarized,
    summarize: ({ covered, first, last, session_id, summary, user_id, version }) =>
      Effect.sync(() => {
        const found = sessions.get(session_id)
        const isCurrent = found !== undefined && versionOf(found) === version && erasedRun(user_id) < first
        if (isCurrent) {
          const { passedRuns, session, summarizedRun } = baseOf(found, last)
          const passed = [...path.backwards(session_id, last)].reverse().filter(({ sequence }) =>
            passedRuns.includes(sequence) || (sequence > summarizedRun && sequence <= last)
          ).filter((run) => isRoot(run) && !isEnded(run) && !covered.includes(run.sequence))
          sessions.set(session_id, {
            ...found,
            session: { ...session, summary },
            summarizedRun: last,
            passedRuns: passed.slice(-maxPassedRuns).map(({ sequence }) => sequence)
          })
        }
        return isCurrent
      }),
    searchPast: (query) => Effect.sync(() => searchPast(query)),
    searchHistory: (query) => Effect.sync(() => searchHistory(query)),
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
