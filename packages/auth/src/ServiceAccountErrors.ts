// The errors of creating, revoking and using service accounts.
import * as ServiceAccount from "@svc-runtime/domain/ServiceAccount"
import { Schema } from "effect"

export class ServiceAccountNameTaken
  extends Schema.TaggedError<ServiceAccountNameTaken>()("ServiceAccountNameTaken", { name_taken: Schema.String })
{
  override get message() {
    return `An active service account named '${this.name_taken}' already exists. Revoke it first to rotate.`
  }
}

/** The data of an account belongs to its name: a caller who reuses the name gets that data. */
export class ServiceAccountNameRetired
  extends Schema.TaggedError<ServiceAccountNameRetired>()("ServiceAccountNameRetired", { name_retired: Schema.String })
{
  override get message() {
    return `A service account named '${this.name_retired}' was revoked, and what it made still belongs to the name. ` +
      "Only an admin, or the caller who made that account, may use the name again."
  }
}

export class ServiceAccountNotFound
  extends Schema.TaggedError<ServiceAccountNotFound>()("ServiceAccountNotFound", { id: ServiceAccount.Id })
{
  override get message() {
    return `Service account '${this.id}' not found`
  }
}

const scopes = { scopes: Schema.Array(Schema.String) }

export class InvalidScopes extends Schema.TaggedError<InvalidScopes>()("InvalidScopes", {
  ...scopes,
  /** Valid ones that can be meant. */
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    const known = this.known.length === 0 ? "" : `. Known: ${this.known.join(", ")}`
    return `Invalid scope(s): ${this.scopes.join(", ")}${known}`
  }
}

export class PrivilegedScopes extends Schema.TaggedError<PrivilegedScopes>()("PrivilegedScopes", scopes) {
  override get message() {
    return `Privileged scope(s) require allow_privileged_scopes=true: ${this.scopes.join(", ")}. ` +
      "Set it if the account is meant to change or hand out things, or leave these scopes out."
  }
}

/** A caller can only grant scopes that they have. */
export class ScopesNotHeld extends Schema.TaggedError<ScopesNotHeld>()("ScopesNotHeld", scopes) {
  override get message() {
    return `Cannot grant scope(s) you do not hold: ${this.scopes.join(", ")}`
  }
}

export class TenantNotGranted extends Schema.TaggedError<TenantNotGranted>()("TenantNotGranted", {}) {
  override get message() {
    return "Only an admin may make the service account of a tenant, and callers of a tenant make none. Leave the tenant " +
      "out, or ask an admin."
  }
}

/** On a service without authentication, any caller could create a permanent identity. */
export class MintingRejected extends Schema.TaggedError<MintingRejected>()("MintingRejected", {}) {
  override get message() {
    return "JWT authentication is required to mint a service account."
  }
}

/** Unknown, revoked or expired: callers cannot distinguish these. */
export class InvalidAccountToken extends Schema.TaggedError<InvalidAccountToken>()("InvalidAccountToken", {}) {
  override get message() {
    return "Invalid or expired service account token"
  }
}

export class TooManyAttempts extends Schema.TaggedError<TooManyAttempts>()("TooManyAttempts", {}) {
  override get message() {
    return "Too many failed authentication attempts"
  }
}
