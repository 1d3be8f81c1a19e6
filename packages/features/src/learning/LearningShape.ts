// The fields that a model may give for a learning of each type, in one call.
import * as Ids from "@svc-runtime/domain/Ids"
import { Schema } from "effect"

const text = (description: string, maximum = 2000) =>
  Schema.String.check(Schema.isMaxLength(maximum)).annotate({ description })
const some = (description: string) =>
  Schema.optionalKey(Schema.Array(text("One of them")).check(Schema.isMaxLength(20)).annotate({ description }))
const given = (description: string) => Schema.optionalKey(text(description))
/** The names and values of an object, as a list: every provider accepts the JSON schema of a list. */
const namedValues = (description: string) =>
  Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: name("What it is, in snake_case", 64), value: text("The value") }))
      .check(Schema.isMaxLength(20)).annotate({ description })
  )
const name = (description: string, maximum: number) =>
  text(description, maximum).check(Schema.isMinLength(1), Ids.exact)

const Relationship = Schema.Struct({
  entity_id: name("The short name of the other one", 256),
  relation: name("For example owns, in snake_case", 128),
  direction: Schema.Literals(["outgoing", "incoming"]).annotate({ description: "outgoing: to the other one" })
})

/** The fields that a model may give for a learning of each type. */
export const shapes = {
  user_profile: Schema.Struct({
    name: given("The full name of the user"),
    preferred_name: given("How the user wants to be called"),
    facts: namedValues("Other lasting facts about the user")
  }),
  user_memory: Schema.Struct({
    memory: text("One sentence about the user. Empty removes the memory of the id"),
    id: given("The id of the memory that it replaces")
  }),
  session_context: Schema.Struct({
    summary: text("What the session is about"),
    goal: given("What the user wants to achieve"),
    plan: some("The steps that are planned"),
    progress: some("The steps that are done")
  }),
  entity_memory: Schema.Struct({
    entity_type: name("The kind of thing, for example company", 128),
    entity_id: name("Its short name in snake_case", 256),
    name: given("Its name"),
    description: given("What it is"),
    properties: namedValues("What it has one value of. A value replaces the earlier one"),
    aliases: some("Other names of it"),
    facts: some("New facts about it"),
    events: some("What happened to it"),
    relationships: Schema.optionalKey(
      Schema.Array(Relationship).check(Schema.isMaxLength(20)).annotate({ description: "How it is related to others" })
    )
  }),
  decision_log: Schema.Struct({
    id: given("The id of an earlier decision, to which this adds its outcome or replaces what is given"),
    decision: text("What was decided"),
    reasoning: text("Why"),
    decision_type: given("The kind of decision, in a word"),
    context: given("What it is about"),
    alternatives: some("What was considered and rejected"),
    confidence: Schema.optionalKey(Schema.Finite.annotate({ description: "From 0 to 1" })),
    outcome: given("The result, if it is known"),
    outcome_quality: given("How good that is, in a word"),
    tags: some("Words under which it is found")
  }),
  learned_knowledge: Schema.Struct({
    title: text("A few words"),
    learning: text("What was learned, so that it helps without this conversation"),
    context: given("When it applies"),
    tags: some("Words under which it is found")
  })
} as const

export type Type = keyof typeof shapes
export const types = Object.keys(shapes) as ReadonlyArray<Type>

export type Change = { readonly [T in Type]: { readonly type: T; readonly value: (typeof shapes)[T]["Type"] } }[Type]
