// The JSON of an event. The store, the feed and the streams of a node need the same text, so it is made once.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"

class Given {
  constructor(event: RunEvent.RunEvent) {
    // what extends this class adds its private fields to the event itself
    return event
  }
}

/**
 * The text is a private field of its event: copies and JSON do not have it. A weak map would cost more than making the
 * text does, because each collection of garbage visits all of its entries.
 */
class WithText extends Given {
  readonly #text: string
  constructor(event: RunEvent.RunEvent) {
    super(event)
    this.#text = JSON.stringify(event)
  }
  static readonly of = (event: RunEvent.RunEvent): string => (#text in event ? event : new WithText(event)).#text
}

export const of: (event: RunEvent.RunEvent) => string = WithText.of
