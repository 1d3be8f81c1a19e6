// The check of a text that has at least one character, with the error of the contract. Lists have another one.
import { Schema } from "effect"

export const notEmpty = Schema.isMinLength(1, {
  message: "String should have at least 1 character",
  problem: "string_too_short"
})
