// Ids shared by several modules. Ids of one resource live with it (`Session.Id`, `Run.Id`).
import { Schema } from "effect"

/**
 * The owner of a session or a run: a token's subject, a service account's principal, or the user that an open service
 * was given.
 */
export const UserId = Schema.String.pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** PostgreSQL index keys are limited to 2,700 bytes, and a character can have three bytes. */
export const maxLength = 512

/**
 * False for texts that stores would change: U+0000 is invalid in PostgreSQL and lone surrogates in UTF-8. Two ids must
 * not become one.
 */
export const isExact = (text: string): boolean => text.isWellFormed() && !text.includes("\0")

/** Whether the text is a valid user id. */
export const isUserId = (text: string): boolean => text.length <= maxLength && isExact(text)

/** A filter for ids: a store must not map two ids to one. */
export const exact = Schema.makeFilter(isExact, {
  message: "Input should not contain null characters or halves of characters",
  problem: "string_unicode",
  toJsonSchema: () => ({})
})

/** An id that a caller can choose. */
export const IdInput = Schema.String.check(Schema.isMaxLength(maxLength), exact)
export const UserIdInput = UserId.check(Schema.isMaxLength(maxLength), exact)

/** The name that a caller gives something. */
export const Name = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(255), exact)

/** The id of a model or the name of a provider. */
export const ModelName = Schema.String.check(Schema.isMaxLength(256), exact)

/** The id of a database of the service. */
export const DatabaseId = Schema.String.pipe(Schema.brand("DatabaseId"))
export type DatabaseId = typeof DatabaseId.Type
