// The messages of an unfinished run of an agent or a leader up to its last batch of tool results, from its journal.
import type * as Message from "@svc-runtime/domain/Message"
import * as RunJournal from "@svc-runtime/engine/run/journal/RunJournal"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect } from "effect"
import type { Agent } from "../define/Agent.ts"
import * as AgentJournal from "./AgentJournal.ts"
import * as SourceTools from "./calls/SourceTools.ts"
import * as Replay from "./Replay.ts"
import * as RunRecorder from "./RunRecorder.ts"

export const messagesOf = Effect.fnUntraced(function*(agent: Agent, { attempt, entries, output }: RunSnapshot) {
  const recorder = yield* RunRecorder.make(() => undefined, output.created_at)
  const own = yield* Effect.orDie(AgentJournal.decode(RunJournal.ownEntries(entries)))
  const replayed = Replay.replay(SourceTools.replayed(agent, own), recorder, attempt, own)
  const { turn } = replayed
  if (turn === undefined) return recorder.messages
  if (Replay.answersOf(turn) !== undefined) {
    Replay.close(recorder, replayed, turn)
    return recorder.messages
  }
  // the last message has unanswered calls
  const before: ReadonlyArray<Message.Message> = recorder.messages.slice(0, -1)
  return before
})
