// Lists as streams: a page is requested when it is read.
import { Effect, Option, Stream } from "effect"

export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly meta: { readonly total_pages: number }
}

/** If the list grows between two requests, an item can come twice. */
export const stream = <A, E, R>(page: (number: number) => Effect.Effect<Page<A>, E, R>): Stream.Stream<A, E, R> =>
  Stream.paginate(1, (number) =>
    Effect.map(page(number), ({ data, meta }) =>
      [
        data,
        // an empty page also ends the list, because items can be deleted meanwhile
        number < meta.total_pages && data.length > 0 ? Option.some(number + 1) : Option.none<number>()
      ] as const))
