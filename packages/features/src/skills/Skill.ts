// Skills: instructions that a model reads when it needs them. A skill is a folder with the file `SKILL.md`, whose first
// lines have its name and its description, and with further files. It is the open format of agent skills.
import { UserIdInput } from "@svc-runtime/domain/Ids"
import { optional } from "@svc-runtime/domain/schema/optional"
import { EpochSeconds } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

/** Of one skill. */
export const limits = {
  /** Characters of `SKILL.md`. */
  text: 200_000,
  files: 100,
  /** Characters of a further file. */
  file: 500_000,
  /** Characters of all files together. */
  all: 900_000,
  path: 255
} as const

/** How many skills a service stores, and how many versions of one it keeps: the latest ones. */
export const maxStored = 1000
export const maxVersions = 50

/** How many an agent can have. */
export const maxOfAgent = 100

export const nameRule = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

export const Name = Schema.String.check(Schema.isMaxLength(64), Schema.isPattern(nameRule)).pipe(
  Schema.brand("SkillName")
)
export type Name = typeof Name.Type

export const File = Schema.Struct({ path: Schema.String, content: Schema.String })
  .annotate({ identifier: "SkillFile" })
export type File = typeof File.Type

const fields = {
  name: Name,
  description: Schema.String,
  license: Schema.NullOr(Schema.String),
  compatibility: Schema.NullOr(Schema.String),
  allowed_tools: Schema.Array(Schema.String),
  metadata: Schema.Record(Schema.String, Schema.String)
}

/** What a model knows of a skill before it needs it. */
export const About = Schema.Struct(fields)
export type About = typeof About.Type

/** A skill with all that a model can read of it. */
export const Content = Schema.Struct({ ...fields, instructions: Schema.String, files: Schema.Array(File) })
export type Content = typeof Content.Type

const stored = { version: Schema.Int, created_at: EpochSeconds, created_by: Schema.NullOr(Schema.String) }

/** One version of a stored skill. */
export const Stored = Schema.Struct({ ...Content.fields, ...stored }).annotate({ identifier: "Skill" })
export type Stored = typeof Stored.Type

/** In lists. */
export const Listed = Schema.Struct({ ...fields, ...stored }).annotate({ identifier: "SkillSummary" })
export type Listed = typeof Listed.Type

export const Input = Schema.Struct({
  /** The whole file `SKILL.md`. */
  text: Schema.String.check(Schema.isMaxLength(limits.text)),
  /** The other files, by their paths from the folder. */
  files: optional(Schema.Array(File).check(Schema.isMaxLength(limits.files))),
  /** Who stores it. Used if the credential names no user. */
  user_id: optional(UserIdInput)
}).annotate({ identifier: "SkillInput" })
export type Input = typeof Input.Type
