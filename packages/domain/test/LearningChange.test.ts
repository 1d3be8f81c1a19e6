// What a change of a model makes of a stored learning.
import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import * as Ids from "../src/Ids.ts"
import * as LearningChange from "../src/LearningChange.ts"
import * as Session from "../src/Session.ts"

const ann = Ids.UserId.make("ann")

const subject: LearningChange.Subject = {
  user_id: ann,
  session_id: Session.Id.make("s"),
  agent_id: "a",
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
    const facts = ["user_id", "created_at", "updated_at"].map((name) => ({ name, value: "eve" }))
    const { content } = Result.getOrThrow(
      LearningChange.apply({ type: "user_profile", value: { facts } }, undefined, subject)
    )
    const at = "2023-11-14T22:13:20Z"
    assert.deepStrictEqual(content, { user_id: "ann", created_at: at, updated_at: at })
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
