import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Json from "../src/Json.ts"
import * as Session from "../src/Session.ts"
import * as Usage from "../src/Usage.ts"

const bare: Session.Session = {
  session_id: Session.Id.make("s"),
  session_type: "agent",
  agent_id: null,
  team_id: null,
  workflow_id: null,
  user_id: null,
  session_name: null,
  derived_name: null,
  session_state: null,
  session_metrics: null,
  component_data: null,
  metadata: null,
  summary: null,
  created_at: 1_795_223_413,
  updated_at: 1_795_223_414
}

const times = { created_at: "2026-11-21T01:10:13Z", updated_at: "2026-11-21T01:10:14Z" }

describe("names", () => {
  it.each([
    [null, null, ""],
    [null, "asked", "asked"],
    ["given", "asked", "given"],
    ["", "asked", ""]
  ])("a given name of %j and a derived one of %j result in %j", (session_name, derived_name, name) => {
    assert.strictEqual(Session.nameOf({ ...bare, session_name, derived_name }), name)
  })
})

describe("details", () => {
  const shared = {
    session_id: "s",
    session_name: "",
    user_id: null,
    session_summary: null,
    session_state: null,
    metadata: null,
    ...times
  }
  const shapes = {
    agent: {
      ...shared,
      agent_session_id: "s",
      agent_id: null,
      agent_data: null,
      metrics: null,
      total_tokens: null
    },
    team: { ...shared, team_id: null, team_data: null, metrics: null, total_tokens: null },
    workflow: {
      ...shared,
      workflow_id: null,
      workflow_name: null,
      workflow_data: {},
      session_data: {},
      metadata: {}
    }
  }

  it.each(["agent", "team", "workflow"] as const)(
    "details of a %s have every key of their shape, with null for missing values",
    (kind) => {
      const detail = Session.toDetail(bare, kind)
      assert.deepStrictEqual<unknown>(detail, shapes[kind])
      assert.strictEqual(Session.hasChat(detail), kind !== "workflow")
      const encoded = Schema.encodeSync(Session.Detail)(detail)
      assert.deepStrictEqual<unknown>(JSON.parse(JSON.stringify(encoded)), shapes[kind])
    }
  )

  it("metrics are null while there is nothing but the row, and have all nine counters otherwise", () => {
    const metrics = (session: Partial<Session.Session>) => {
      const detail = Session.toDetail({ ...bare, ...session }, "agent")
      return "metrics" in detail ? detail.metrics : undefined
    }
    assert.isNull(metrics({}))
    assert.deepStrictEqual(metrics({ session_name: "" }), Usage.zero)
    assert.deepStrictEqual(metrics({ session_state: {} }), Usage.zero)
    assert.deepStrictEqual(metrics({ session_metrics: { total_tokens: 3 } }), { ...Usage.zero, total_tokens: 3 })
  })

  it.each([
    ["the time of the session when it has none", { summary: "x" }, times.updated_at],
    ["its own time", { summary: "x", updated_at: "2026-01-01T00:00:00Z" }, "2026-01-01T00:00:00Z"]
  ])("a summary has %s as updated_at", (_, summary, updated_at) => {
    const { session_summary } = Session.toDetail({ ...bare, summary }, "agent")
    assert.deepStrictEqual(session_summary, { summary: "x", updated_at })
  })

  const read = Schema.decodeUnknownSync(Session.Detail)
  it.each(["agent", "team", "workflow"] as const)(
    "details of a %s are decoded with every key that they have",
    (kind) => {
      const known = { agent_id: "a", team_id: "t", workflow_id: "w", session_type: kind } as const
      const { [`${kind}_id` as const]: id } = known
      const detail = Json.withoutNulls(Session.toDetail({ ...bare, [`${kind}_id`]: id }, kind))
      assert.deepStrictEqual<unknown>(read(detail), detail)
    }
  )

  it("details of a workflow are decoded without session_data", () => {
    const detail = { session_id: "s", session_name: "", workflow_id: "w" }
    assert.deepStrictEqual<unknown>(read(detail), detail)
  })

  it("a workflow's data holds what was stored, and no null", () => {
    const session = { ...bare, session_name: "N", session_state: { a: 1 }, session_metrics: { total_tokens: 3 } }
    const detail = Session.toDetail(session, "workflow")
    assert.deepStrictEqual("session_data" in detail ? detail.session_data : undefined, {
      session_name: "N",
      session_state: { a: 1 },
      session_metrics: { total_tokens: 3 }
    })
  })
})

describe("items", () => {
  it("items have four keys when all else is missing, and never a null", () => {
    const item = Session.toItem(bare)
    assert.deepStrictEqual<unknown>(item, { session_id: "s", session_name: "", session_type: "agent", ...times })
  })

  it("items show each value that is present", () => {
    const item = Session.toItem({
      ...bare,
      session_type: "team",
      team_id: "t",
      session_metrics: { total_tokens: 3 },
      summary: { summary: "x" },
      metadata: {},
      session_state: {}
    })
    assert.deepStrictEqual<unknown>(item, {
      session_id: "s",
      session_name: "",
      session_type: "team",
      team_id: "t",
      metrics: { ...Usage.zero, total_tokens: 3 },
      total_tokens: 3,
      session_summary: { summary: "x", updated_at: times.updated_at },
      metadata: {},
      session_state: {},
      ...times
    })
    assert.deepStrictEqual<unknown>(Schema.encodeSync(Session.Item)(item), item)
  })
})

describe("requests", () => {
  const accepts = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) =>
    Schema.decodeUnknownOption(schema)(value)._tag === "Some"

  it("creating a session allows every field to be missing or null", () => {
    assert.isTrue(accepts(Session.Create, {}))
    assert.isTrue(accepts(Session.Create, { session_id: null, metadata: null }))
    assert.isFalse(accepts(Session.Create, { metadata: [] }))
  })

  it("renaming a session needs a name, which can be empty", () => {
    assert.isTrue(accepts(Session.Rename, { session_name: "" }))
    assert.isFalse(accepts(Session.Rename, {}))
    assert.isFalse(accepts(Session.Rename, { session_name: null }))
  })

  it("deleting sessions needs at least one id and one type", () => {
    assert.isTrue(accepts(Session.Remove, { session_ids: ["a"], session_types: ["team"] }))
    assert.isFalse(accepts(Session.Remove, { session_ids: [], session_types: ["team"] }))
    assert.isFalse(accepts(Session.Remove, { session_ids: ["a"], session_types: [] }))
    assert.isFalse(accepts(Session.Remove, { session_ids: ["a"], session_types: ["robot"] }))
  })
})
