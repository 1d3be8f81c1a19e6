/** Rows of a database in memory, the last one first. */
export const newestFirst = <A extends { readonly sequence: number }>(all: Iterable<A>): Array<A> =>
  [...all].sort((one, other) => other.sequence - one.sequence)
