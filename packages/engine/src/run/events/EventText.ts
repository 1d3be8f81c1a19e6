// The JSON of an event. The store, the feed and the streams of a node need the same text, so it is made once.
import type * as RunEvent from "@svc-runtime/domain/RunEvent"

const texts = new WeakMap<RunEvent.RunEvent, string>()

export const of = (event: RunEvent.RunEvent): string => {
  const known = texts.get(event)
  if (known !== undefined) return known
  const text = JSON.stringify(event)
  texts.set(event, text)
  return text
}
