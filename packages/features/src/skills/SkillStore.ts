// Where skills are stored that were added over the API. They belong to the service, as stored components do.
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option } from "effect"
import type * as Skill from "./Skill.ts"

export interface SkillPage {
  readonly skills: ReadonlyArray<Skill.Listed>
  readonly total: number
}

export interface NewVersion extends Pick<Skill.Stored, "created_at" | "created_by"> {
  readonly skill: Skill.Content
}

export class SkillStore extends Context.Service<SkillStore, {
  /** The first version. None if there is a skill of this name, or if there are `Skill.maxStored`. */
  readonly create: (given: NewVersion) => Effect.Effect<Option.Option<Skill.Stored>, StorageUnavailable>
  /**
   * The next version. Versions before the last `Skill.maxVersions` are removed. None if there is no skill of this name,
   * or if another version is stored at this moment.
   */
  readonly addVersion: (given: NewVersion) => Effect.Effect<Option.Option<Skill.Stored>, StorageUnavailable>
  /** The latest versions of the skills with these names, in the order of the names. */
  readonly about: (
    names: ReadonlyArray<Skill.Name>
  ) => Effect.Effect<ReadonlyArray<Skill.Listed>, StorageUnavailable>
  /** Undefined: the latest version. */
  readonly find: (
    name: Skill.Name,
    version: number | undefined
  ) => Effect.Effect<Option.Option<Skill.Stored>, StorageUnavailable>
  /** The latest version of each, in the order of their names. */
  readonly list: (page: Pagination.Request) => Effect.Effect<SkillPage, StorageUnavailable>
  /** Newest first. Empty if there is no such skill. */
  readonly versions: (name: Skill.Name) => Effect.Effect<ReadonlyArray<Skill.Listed>, StorageUnavailable>
  /** All versions. False if there is no such skill. */
  readonly remove: (name: Skill.Name) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/features/skills/SkillStore") {}
