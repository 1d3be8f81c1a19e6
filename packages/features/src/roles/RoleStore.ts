// Where roles are kept. They are the service's, and have no owner.
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, type Effect, type Option, Schema } from "effect"
import type { StoredRole } from "./StoredRole.ts"

/** Another role has the name. */
export class RoleNameTaken extends Schema.TaggedError<RoleNameTaken>()("RoleNameTaken", {}) {}

export class RoleStore extends Context.Service<RoleStore, {
  /** In the order of their names. */
  readonly all: Effect.Effect<ReadonlyArray<StoredRole>, StorageUnavailable>
  readonly find: (name: string) => Effect.Effect<Option.Option<StoredRole>, StorageUnavailable>
  /** False if there are as many as there may be. */
  readonly create: (role: StoredRole, limit: number) => Effect.Effect<boolean, RoleNameTaken | StorageUnavailable>
  /**
   * Its description, its scopes and the time of the change. False if it no longer is as it was read: what a caller may
   * change depends on it.
   */
  readonly replace: (role: StoredRole, read: StoredRole) => Effect.Effect<boolean, StorageUnavailable>
  /** The same. */
  readonly remove: (read: StoredRole) => Effect.Effect<boolean, StorageUnavailable>
}>()("@svc-runtime/features/roles/RoleStore") {}
