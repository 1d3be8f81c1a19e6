/**
 * What a repeated call of the author's code does: nothing because it only reads, nothing because it recognises its
 * `effectId`, or the effect again.
 */
export type Effects = "read" | "idempotent" | "once"
