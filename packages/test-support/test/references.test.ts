// The values that code reads from its context without requiring them. A forgotten layer of a `Context.Reference` is no
// type error: the default counts in silence. So a capability is a `Context.Service`, with a `layerNone` where it may be
// absent, and each reference that is left has a reason in this list.
import { assert, describe, it } from "@effect/vitest"
import { readRepository } from "./Imports.ts"

interface Reason {
  readonly why: string
  /** It has no value except inside of one run, request or statement, and code must handle both. */
  readonly isAbsentOutside?: true
}

/** Settings: their default is the documented value, and is right where no other is set. */
const settings: Readonly<Record<string, Reason>> = {
  "engine/src/limits/ByteLimits.ts ByteLimits": { why: "bytes of single values" },
  "engine/src/limits/ResponseLimit.ts ResponseLimit": { why: "bytes of a response" },
  "engine/src/limits/RunReadLimits.ts RunReadLimits": { why: "bytes of runs that are read" },
  "features/src/evaluation/EvaluationLimits.ts EvaluationLimits": { why: "how many evaluations, and their times" },
  "features/src/learning/LearningLimit.ts LearningLimit": { why: "how many learnings of a user" },
  "features/src/memory/MemoryLimit.ts MemoryLimit": { why: "how many memories of a user" },
  "features/src/webhooks/WebhookSettings.ts WebhookLimits": { why: "numbers and times of deliveries" },
  "postgres/src/Pgvector.ts Pgvector": { why: "from how many chunks on an index is faster, as measured" },
  "telemetry/src/Prices.ts ModelPrices": { why: "the prices that ship" },
  "cli/src/Mode.ts Mode": { why: "text for people, without --json" }
}

/** What every program has. Only tests replace it. */
const given: Readonly<Record<string, Reason>> = {
  "engine/src/NewId.ts NewId": { why: "random ids" },
  "engine/src/run/journal/StoredFormat.ts StoredFormat": { why: "the format of this version" },
  "features/src/vectors/QueryVectorCache.ts QueryVectorCache": { why: "one cache of a process, of the usual size" },
  "telemetry/src/Instruments.ts Instruments": {
    why: "code that is counted requires nothing, as with Effect's metrics"
  },
  "domain/src/Worker.ts CurrentWorker": {
    why: "a process is no worker, unless serve started it as one",
    isAbsentOutside: true
  },
  "server/src/workers/Peers.ts Peers": { why: "a process has no peers, unless serve started it as a worker" },
  "http/src/requests/Shutdown.ts EndProcess": { why: "only serve owns the process that it would end" }
}

/** State of a fiber: it is set around an effect, and its default is the state outside of it. */
const states: Readonly<Record<string, Reason>> = {
  "engine/src/database/CurrentDatabase.ts CurrentDatabase": {
    why: "the name of the database in log lines of a statement",
    isAbsentOutside: true
  },
  "engine/src/limits/ReadLimiter.ts ReadLimiter": { why: "memory is measured for responses to requests only" },
  "engine/src/node/KeepsProcess.ts KeepsProcess": {
    why: "of the process: a service keeps it, a local service does not"
  },
  "engine/src/node/retryUntilAvailable.ts IsClosing": { why: "the engine or worker around the fiber closes" },
  "engine/src/run/events/UnstoredRoom.ts HasRoom": { why: "of the executing run; outside of it nothing is stored" },
  "features/src/knowledge/RunKnowledge.ts CurrentKnowledge": { why: "of the executing run", isAbsentOutside: true },
  "features/src/learning/CurrentLearnings.ts CurrentLearnings": { why: "of the executing run", isAbsentOutside: true },
  "features/src/memory/RunMemory.ts CurrentMemory": { why: "of the executing run", isAbsentOutside: true },
  "features/src/summaries/RunSessions.ts CurrentSessions": { why: "of the executing run", isAbsentOutside: true },
  "http/src/authorization/CurrentAccess.ts CurrentAccess": { why: "of an admitted request", isAbsentOutside: true },
  "http/src/forms/FormFields.ts StrictRequests": { why: "STRICT_REQUESTS; false, as without the setting" },
  "models/src/DecodedWords.ts Current": { why: "the stream whose words go past the decoder", isAbsentOutside: true },
  "models/src/EmbeddingRate.ts Caller": { why: "of a search of a request or a run", isAbsentOutside: true },
  "models/src/EmbeddingRate.ts IsAwaited": { why: "a caller waits for the vectors" },
  "models/src/EmbeddingRequests.ts IsCounted": { why: "an embedder that calls another one is one request" },
  "models/src/Model.ts ResponseFormat": { why: "the format of one answer; text, except with a schema" },
  "models/src/ModelSettings.ts Current": { why: "the settings of one request beside those of the model" },
  "postgres/src/sql/orUnavailable.ts InTransaction": { why: "a statement of a transaction is not repeated alone" },
  "server/src/mcp/ClientDisconnect.ts ClientConnection": { why: "of the current request" },
  "server/src/mcp/tasks/TaskCall.ts Created": { why: "of the current call; outside of it no task is made" },
  "telemetry/src/ModelRequests.ts IsLate": { why: "a time limit around the request is reached" }
}

/** Keys of annotations, which are read from an endpoint, a command or a span, and not from the context of a fiber. */
const annotations: Readonly<Record<string, Reason>> = {
  "api/src/RequiredScope.ts AdmitsSessionTokens": { why: "of endpoints, refused by default" },
  "api/src/RequiredScope.ts RequiredScope": {
    why: "the service does not start if an endpoint has none",
    isAbsentOutside: true
  },
  "api/src/RespondsInOutage.ts RespondsInOutage": { why: "of few endpoints" },
  "cli/src/terminal/HelpPage.ts Variables": { why: "the environment variables of a command" },
  "telemetry/src/SpanTracer.ts TraceState": { why: "of a parent in another process" }
}

const reasons = { ...settings, ...given, ...states, ...annotations }

/** `const Name = Context.Reference<…>("…", { defaultValue: … })`, and not the mention of a type. */
const references = () =>
  Array.from(readRepository().sources).flatMap(([file, text]) =>
    Array.from(text.matchAll(/(?<!: )\bContext\.Reference[<(]/g), ({ index }) => {
      const name = Array.from(text.slice(0, index).matchAll(/\bconst (\w+)/g)).at(-1)?.[1]
      const [, value = ""] = text.slice(index).split("defaultValue:")
      return { key: `${file.replace("packages/", "")} ${name}`, isAbsent: /^ \(\) => undefined\b/.test(value) }
    })
  )

describe("references", () => {
  it("each reference has a reason in the list, so that a capability does not become one", () => {
    assert.deepStrictEqual(references().map(({ key }) => key).toSorted(), Object.keys(reasons).toSorted())
  })

  it("no default is undefined, except of what exists only inside of a run, a request or a statement", () => {
    const absent = Object.entries(reasons).flatMap(([key, { isAbsentOutside }]) =>
      isAbsentOutside === true ? [key] : []
    )
    const found = references().flatMap(({ isAbsent, key }) => isAbsent ? [key] : [])
    assert.deepStrictEqual(found.toSorted(), absent.toSorted())
  })
})
