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

/** Settings: their default is the documented value, and is right where no other is set. New ones are services. */
const settings: Readonly<Record<string, Reason>> = {
  "engine/src/limits/ByteLimits.ts ByteLimits": { why: "bytes of single values" },
  "cli/src/Mode.ts Mode": { why: "text for people, without --json" }
}

/** What every program has. Only tests replace it. */
const given: Readonly<Record<string, Reason>> = {
  "engine/src/NewId.ts NewId": { why: "random ids" },
  "engine/src/run/journal/StoredFormat.ts StoredFormat": { why: "the format of this version" },
  "telemetry/src/Instruments.ts Instruments": {
    why: "code that is counted requires nothing, as with Effect's metrics"
  },
  "domain/src/Worker.ts CurrentProcess": { why: "only serve owns the process, and starts several" }
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
  "engine/src/node/CurrentWork.ts CurrentWork": { why: "of a run or a job; outside of them nothing closes or waits" },
  "http/src/authorization/CurrentAccess.ts CurrentAccess": { why: "of an admitted request", isAbsentOutside: true },
  "http/src/forms/FormFields.ts IsStrict": { why: "of the form that is decoded, as Forms says" },
  "models/src/EmbeddingRate.ts EmbeddingCall": { why: "no caller waits, and no other embedder has made the call" },
  "models/src/RequestOptions.ts RequestOptions": { why: "text, with the settings of the model alone" },
  "models/src/WordListener.ts WordListener": { why: "the reader of one streamed answer", isAbsentOutside: true },
  "postgres/src/sql/orUnavailable.ts InTransaction": { why: "a statement of a transaction is not repeated alone" },
  "server/src/mcp/ClientDisconnect.ts ClientRequest": { why: "of the request to the MCP server" },
  "telemetry/src/ModelRequests.ts IsLate": { why: "a time limit around the request is reached" }
}

const reasons = { ...settings, ...given, ...states }

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

  it("there are few of them: state of fibers that belongs together is one value", () => {
    assert.isAtMost(references().length, 18)
  })

  it("no default is undefined, except of what exists only inside of a run, a request or a statement", () => {
    const absent = Object.entries(reasons).flatMap(([key, { isAbsentOutside }]) =>
      isAbsentOutside === true ? [key] : []
    )
    const found = references().flatMap(({ isAbsent, key }) => isAbsent ? [key] : [])
    assert.deepStrictEqual(found.toSorted(), absent.toSorted())
  })
})
