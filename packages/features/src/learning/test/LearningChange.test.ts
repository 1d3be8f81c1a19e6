// What a change of a model makes of a stored learning.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Session from "@svc-runtime/domain/Session"
import { Option, Result } from "effect"
import * as LearningChange from "../LearningChange.ts"

const ann = Ids.UserId.make("ann")

const subject: LearningChange.Subject = {
  user_id: ann,
  session_id: Session.Id.make("s"),
  agent_id: "a",
  team_id: null,
  namespace: "sales",
  owner: null,
  at: 1_700_000_000,
  newId: () => "12345678-rest"
}

const entity = (facts: ReadonlyArray<string>, names = { entity_type: "company", entity_id: "acme" }) =>
  ({ type: "entity_memory", value: { ...names, facts } }) as const

describe("changes of learnings", () => {
  it("facts of an entity are added to the known ones, up to a hundred", () => {
    const first = Result.getOrThrow(LearningChange.apply(entity(["one"]), undefined, subject))
    assert.strictEqual(first.learning_id, "entity_sales_company_acme")
    assert.deepStrictEqual([first.user_id, first.namespace, first.agent_id], [null, "sales", "a"])
    const later = { ...subject, at: subject.at + 60 }
    const second = Result.getOrThrow(LearningChange.apply(entity(["two"]), first, later))
    assert.deepStrictEqual([second.created_at, second.updated_at], [subject.at, later.at])
    assert.lengthOf(second.content?.["facts"] as ReadonlyArray<unknown>, 2)
    const many = Array.from({ length: 99 }, String)
    assert.isTrue(Result.isFailure(LearningChange.apply(entity(many), second, later)))
  })

  it("an id that two names have belongs to the first", () => {
    const first = Result.getOrThrow(
      LearningChange.apply(entity([], { entity_type: "a_b", entity_id: "c" }), undefined, subject)
    )
    const other = entity([], { entity_type: "a", entity_id: "b_c" })
    assert.deepStrictEqual(LearningChange.idOf(other, subject), Result.succeed(Option.some(first.learning_id)))
    assert.isTrue(Result.isFailure(LearningChange.apply(other, first, subject)))
  })

  it("a content that would be larger than its limit is refused", () => {
    const fact = (name: string) =>
      ({ type: "user_profile", value: { facts: [{ name, value: "x".repeat(2000) }] } }) as const
    let known = Result.getOrThrow(LearningChange.apply(fact("first"), undefined, subject))
    let refused: string | undefined
    for (let n = 0; refused === undefined && n < 40; n++) {
      const changed = LearningChange.apply(fact(`fact_${n}`), known, subject)
      if (Result.isSuccess(changed)) known = changed.success
      else refused = changed.failure
    }
    assert.strictEqual(refused, "There is no room for more. Replace or remove something first.")
  })

  it("the identity and the times of a content are not the model's", () => {
    const facts = ["user_id", "agent_id", "team_id", "created_at", "updated_at"].map((name) => ({ name, value: "eve" }))
    const { content } = Result.getOrThrow(
      LearningChange.apply({ type: "user_profile", value: { facts } }, undefined, subject)
    )
    const at = "2023-11-14T22:13:20Z"
    assert.deepStrictEqual(content, { user_id: "ann", agent_id: "a", team_id: null, created_at: at, updated_at: at })
  })

  it("an entity keeps its properties, aliases and relationships, each once, and new ones are added", () => {
    const known = Result.getOrThrow(LearningChange.apply(
      {
        type: "entity_memory",
        value: {
          entity_type: "company",
          entity_id: "acme",
          properties: [{ name: "size", value: "10" }, { name: "city", value: "Basel" }],
          aliases: ["ACME", "Acme Ltd"],
          relationships: [{ entity_id: "bob", relation: "employs", direction: "outgoing" }]
        }
      },
      undefined,
      subject
    ))
    const { content } = Result.getOrThrow(LearningChange.apply(
      {
        type: "entity_memory",
        value: {
          entity_type: "company",
          entity_id: "acme",
          properties: [{ name: "size", value: "20" }],
          aliases: ["ACME", "Acme Inc"],
          relationships: [
            { entity_id: "bob", relation: "employs", direction: "outgoing" },
            { entity_id: "bob", relation: "founded", direction: "incoming" }
          ]
        }
      },
      known,
      subject
    ))
    assert.deepInclude(content as object, {
      properties: { size: "20", city: "Basel" },
      aliases: ["ACME", "Acme Ltd", "Acme Inc"],
      relationships: [
        { entity_id: "bob", relation: "employs", direction: "outgoing" },
        { entity_id: "bob", relation: "founded", direction: "incoming" }
      ],
      facts: [],
      events: []
    })
  })

  it("a decision has the id of its learning, its outcome, and a confidence from 0 to 1 only", () => {
    const decision = {
      decision: "Use trains",
      reasoning: "They are faster",
      decision_type: "travel",
      context: "A holiday",
      outcome: "On time",
      outcome_quality: "good",
      tags: ["travel"]
    }
    const decided = (confidence: number) =>
      Result.getOrThrow(
        LearningChange.apply({ type: "decision_log", value: { ...decision, confidence } }, undefined, subject)
      )
    const { content, learning_id } = decided(0.5)
    assert.deepInclude(content as object, { ...decision, id: learning_id, confidence: 0.5 })
    assert.notProperty(decided(95).content, "confidence")
    assert.notProperty(decided(-1).content, "confidence")
  })

  it("the outcome of a known decision is added by its id, and what is not given stays", () => {
    const decided = (
      value: { readonly id?: string; readonly outcome?: string; readonly context?: string },
      known?: Parameters<typeof LearningChange.apply>[1],
      by = subject
    ) =>
      LearningChange.apply(
        { type: "decision_log", value: { decision: "Use trains", reasoning: "They are faster", ...value } },
        known,
        by
      )
    const known = Result.getOrThrow(decided({ context: "A holiday" }))
    const changed = Result.getOrThrow(decided({ id: known.learning_id, outcome: "On time" }, known))
    assert.strictEqual(changed.learning_id, known.learning_id)
    assert.deepInclude(changed.content as object, {
      id: known.learning_id,
      context: "A holiday",
      outcome: "On time"
    })
    assert.isTrue(Result.isFailure(decided({ id: "unknown", outcome: "On time" })))
    assert.isTrue(Result.isFailure(decided({ id: known.learning_id }, known, { ...subject, namespace: "other" })))
  })

  it("a new context of a session replaces the earlier one as a whole", () => {
    const save = (
      value: { readonly summary: string; readonly goal?: string; readonly plan?: ReadonlyArray<string> },
      known?: Parameters<typeof LearningChange.apply>[1]
    ) => Result.getOrThrow(LearningChange.apply({ type: "session_context", value }, known, subject))
    const first = save({ summary: "A trip", goal: "Book it", plan: ["choose", "pay"] })
    const { content } = save({ summary: "A dinner" }, first)
    assert.deepInclude(content as object, { summary: "A dinner", goal: null, plan: [], progress: [] })
  })

  it("fields that the type does not have are left out", () => {
    const value = { title: "t", learning: "l", archived_at: "never", user_id: "eve" }
    const { content } = Result.getOrThrow(
      LearningChange.apply({ type: "learned_knowledge", value }, undefined, subject)
    )
    assert.hasAllKeys(content as object, ["title", "learning", "created_at", "updated_at"])
  })

  it("what a team learns has the id of the team, and no agent", () => {
    const byTeam = { ...subject, agent_id: null, team_id: "desk" }
    const learned = Result.getOrThrow(
      LearningChange.apply({ type: "learned_knowledge", value: { title: "t", learning: "l" } }, undefined, byTeam)
    )
    assert.deepStrictEqual([learned.agent_id, learned.team_id], [null, "desk"])
  })

  it("nothing is learned about a user whom the run does not have", () => {
    const change = { type: "user_memory", value: { memory: "Likes tea." } } as const
    assert.isTrue(Result.isFailure(LearningChange.idOf(change, { ...subject, user_id: undefined })))
    assert.isTrue(Result.isFailure(LearningChange.apply(
      {
        type: "user_memory",
        value: { memory: "", id: "unknown" }
      },
      undefined,
      subject
    )))
  })
})
