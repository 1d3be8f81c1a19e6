// Roles that are stored: named sets of scopes, which credentials have by the scope `role:NAME`.
import * as Role from "@svc-runtime/domain/Role"
import { DateTime, EpochSeconds, toDateTime } from "@svc-runtime/domain/Time"
import { Schema } from "effect"

/** Roles of a service. Each node keeps all of them. */
export const most = 500

const Scopes = Schema.Array(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255))).check(
  Schema.isMaxLength(Role.maxScopes)
)

const Description = Schema.String.check(Schema.isMaxLength(1000))

export const StoredRole = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  scopes: Schema.Array(Schema.String),
  created_at: EpochSeconds,
  updated_at: Schema.NullOr(EpochSeconds),
  /** The user who made it. Null if the credential named none. */
  created_by: Schema.NullOr(Schema.String)
})
export type StoredRole = typeof StoredRole.Type

export const Create = Schema.Struct({
  name: Role.Name,
  scopes: Scopes,
  description: Schema.optionalKey(Description)
}).annotate({ identifier: "RoleCreate" })
export type Create = typeof Create.Type

export const Patch = Schema.Struct({
  scopes: Schema.optionalKey(Scopes),
  description: Schema.optionalKey(Description)
}).annotate({ identifier: "RoleUpdate" })

export const Shown = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  scopes: Schema.Array(Schema.String),
  /** The code of the service declares it. Requests cannot change it. */
  declared: Schema.Boolean,
  created_at: Schema.NullOr(DateTime),
  updated_at: Schema.NullOr(DateTime),
  created_by: Schema.NullOr(Schema.String)
}).annotate({ identifier: "RoleDetail" })
export type Shown = typeof Shown.Type

export const shown = ({ created_at, updated_at, ...role }: StoredRole): Shown => ({
  ...role,
  declared: false,
  created_at: toDateTime(created_at),
  updated_at: updated_at === null ? null : toDateTime(updated_at)
})

export const ofCode = ([name, scopes]: readonly [string, ReadonlyArray<string>]): Shown => ({
  name,
  description: "",
  scopes,
  declared: true,
  created_at: null,
  updated_at: null,
  created_by: null
})
