// Entries as version 1 stored them, and what version 2 reads.
import { assert, describe, it } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import { toVersion2 } from "@svc-runtime/engine/run/journal/JournalUpcasts"

const cases: ReadonlyArray<readonly [name: string, stored: Json.Object, present: Json.Object]> = [
  ["an answer of an agent", { kind: "answered", call: 0, state: { set: { a: 1 }, removed: [] } }, {
    kind: "answered",
    call: 0,
    state: { set: { a: 1 }, removed: [] }
  }],
  ["a whole session state", { kind: "asked", calls: [], session_state: { a: 1 } }, {
    kind: "asked",
    calls: [],
    state: { set: { a: 1 }, removed: [] }
  }],
  [
    "a whole session state beside its change",
    { kind: "asked", session_state: {}, state: { set: {}, removed: ["b"] } },
    {
      kind: "asked",
      state: { set: {}, removed: ["b"] }
    }
  ],
  ["the states around a member", { kind: "ended", key: "0.0", state: { before: { a: 1, b: 1 }, after: { a: 2 } } }, {
    kind: "ended",
    key: "0.0",
    state: { set: { a: 2 }, removed: ["b"] }
  }],
  ["equal states around a member", { kind: "ended", key: "0.0", state: { before: { a: 1 }, after: { a: 1 } } }, {
    kind: "ended",
    key: "0.0"
  }],
  ["an entry of a member", { inside: "0.0", entry: { kind: "asked", session_state: { a: 1 } } }, {
    kind: "inner",
    key: "0.0",
    entry: { kind: "asked", state: { set: { a: 1 }, removed: [] } }
  }],
  ["entries that were written at once", {
    together: [{ kind: "resolved", attempt: 2 }, { inside: "a", entry: { inside: "b", entry: { kind: "based" } } }]
  }, {
    kind: "batch",
    entries: [
      { kind: "resolved", attempt: 2 },
      { kind: "inner", key: "a", entry: { kind: "inner", key: "b", entry: { kind: "based" } } }
    ]
  }],
  ["a step of a workflow", { type: "finished", key: "0", output: null, state: { set: {}, removed: ["a"] } }, {
    kind: "finished",
    key: "0",
    output: null,
    state: { set: {}, removed: ["a"] }
  }],
  ["a request of a workflow", { type: "asked", key: "0?0", requirement: { step_type: "Step" } }, {
    kind: "asked",
    key: "0?0",
    requirement: { step_type: "Step" }
  }],
  [
    "a choice with fields like those of an entry",
    { type: "chosen", key: "0/choice", choice: { type: "x", entry: {} } },
    {
      kind: "chosen",
      key: "0/choice",
      choice: { type: "x", entry: {} }
    }
  ],
  ["an entry of an executor", {
    type: "inner",
    run_id: "r",
    answers: "0@r?0",
    entry: { together: [{ inside: "team", entry: { kind: "goal", summary: "done" } }] }
  }, {
    kind: "executor",
    key: "r",
    answers: "0@r?0",
    entry: { kind: "batch", entries: [{ kind: "inner", key: "team", entry: { kind: "goal", summary: "done" } }] }
  }]
]

describe("Journal entries of version 1", () => {
  it.each(cases)("%s has the form of version 2", (_, stored, present) => {
    assert.deepStrictEqual(toVersion2(stored), present)
  })
})
