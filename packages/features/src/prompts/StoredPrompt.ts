// Prompts: texts that several agents use as parts of their instructions.
import { UserIdInput } from "@svc-runtime/domain/Ids"
import { optional } from "@svc-runtime/domain/schema/optional"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"
import * as Template from "./Template.ts"

/** How many prompts a service stores, and how many versions of one. A version is never removed alone. */
export const maxStored = 500
export const maxVersions = 500

const fields = {
  name: Schema.String,
  version: Schema.Int,
  created_at: EpochSeconds,
  created_by: Schema.NullOr(Schema.String)
}

/** In the database. `prompt_id` tells a prompt from a deleted one of the same name. */
export const Stored = Schema.Struct({ ...fields, prompt_id: Schema.String, text: Schema.String })
export type Stored = typeof Stored.Type

/** The latest version of a prompt. */
export const Head = Schema.Struct({ name: Schema.String, prompt_id: Schema.String, version: Schema.Int })
export type Head = typeof Head.Type

/** In lists. */
export const Listed = Schema.Struct(fields).annotate({ identifier: "PromptSummary" })
export type Listed = typeof Listed.Type

/** What includes a prompt. */
export const User = Schema.Struct({
  kind: Schema.Literals(["agent", "team", "prompt"]),
  id: Schema.String,
  /** Null: it is in the code of the application. */
  version: Schema.NullOr(Schema.Int)
}).annotate({ identifier: "PromptUser" })
export type User = typeof User.Type

/** One version of a prompt. */
export const Prompt = Schema.Struct({
  ...fields,
  text: Schema.String,
  variables: Schema.Array(Schema.String),
  includes: Schema.Array(Schema.String),
  declared: Schema.Boolean
}).annotate({ identifier: "Prompt" })
export type Prompt = typeof Prompt.Type

export const Detail = Schema.Struct({ ...Prompt.fields, used_by: Schema.Array(User) })
  .annotate({ identifier: "PromptDetail" })

const Text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(Template.limits.text))

export const Version = Schema.Struct({
  text: Text,
  /** Who stores it. Used if the credential names no user. */
  user_id: optional(UserIdInput)
}).annotate({ identifier: "PromptVersionInput" })

export const Create = Schema.Struct({
  name: Schema.String.check(Schema.isMaxLength(64), Schema.isPattern(Template.nameRule)),
  ...Version.fields
}).annotate({ identifier: "PromptInput" })
