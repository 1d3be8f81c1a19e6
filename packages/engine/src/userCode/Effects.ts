/**
 * What a repeated call of the author's code does: nothing because it only reads, nothing because it recognises its
 * `effectId`, or the effect again.
 */
export const allEffects = ["read", "idempotent", "once"] as const
export type Effects = typeof allEffects[number]

/** Whether a call may be repeated. What is none of these words is not. */
export const mayRepeat = (effects: Effects): boolean => effects === "read" || effects === "idempotent"
