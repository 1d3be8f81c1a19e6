// What makes a published version the current one.

/**
 * The label of the button. A version can be published without being current, so it is also newer than the current one.
 *
 * @example
 * currentLabel(3, 2) // "Make version 3 current"
 * currentLabel(1, 2) // "Go back to version 1"
 */
export const currentLabel = (version: number, current: number | null | undefined): string =>
  typeof current === "number" && version < current
    ? `Go back to version ${version}`
    : `Make version ${version} current`
