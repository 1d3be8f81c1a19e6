// Ids shared by several modules. Ids of one resource live with it (`Session.Id`, `Run.Id`).
import { Schema } from "effect"

/** Who owns a session or a run: a token's subject, a service account's principal, or what an open service was told. */
export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** An index of PostgreSQL takes keys of 2,700 bytes, and a character may have three. */
const maxLength = 512

/**
 * PostgreSQL has no text with U+0000 in it and UTF-8 no lone surrogates, so stores put another character in their place.
 * Two users must not become one by it.
 */
export const isExact = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** Whether somebody can be known by this name. */
export const isUserId = (text: string): boolean => text.length <= maxLength && isExact(text)

/** For ids: two of them must not become one in a store. */
export const exact = Schema.makeFilter(isExact, {
  message: "Input should not contain null characters or halves of characters",
  problem: "string_unicode",
  toJsonSchema: () => ({})
})

/** What callers may choose as an id. */
export const IdInput = Schema.String.check(Schema.isMaxLength(maxLength), exact)
export const UserIdInput = UserId.check(Schema.isMaxLength(maxLength), exact)

/** One of the databases that a service keeps its sessions in. */
export const DatabaseId = Schema.String.pipe(Schema.brand("DatabaseId"))
export type DatabaseId = typeof DatabaseId.Type
