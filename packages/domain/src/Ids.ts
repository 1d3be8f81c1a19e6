// Ids shared by several modules. Ids of one resource live with it (`Session.Id`, `Run.Id`).
import { Schema } from "effect"

/** Who owns a session or a run: a token's subject, a service account's principal, or what an open service was told. */
export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** What callers may choose: an index of PostgreSQL takes keys of 2,700 bytes, and a character may have three. */
const isStorable = Schema.isMaxLength(512)
export const GivenId = Schema.String.check(isStorable)
export const GivenUserId = UserId.check(isStorable)

/** One of the databases that a service keeps its sessions in. */
export const DatabaseId = Schema.String.pipe(Schema.brand("DatabaseId"))
export type DatabaseId = typeof DatabaseId.Type
