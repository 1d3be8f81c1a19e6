// A moment, in the time zone of the reader. The API sends epoch seconds or ISO 8601.
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" })

export const instantOf = (value: string | number): Date => new Date(typeof value === "number" ? value * 1000 : value)

export const Time = ({ value }: { readonly value: string | number | null | undefined }) => {
  if (value === null || value === undefined || value === "") return <span class="quiet">–</span>
  const instant = instantOf(value)
  if (Number.isNaN(instant.getTime())) return <span>{String(value)}</span>
  const isToday = instant.toDateString() === new Date().toDateString()
  return (
    <time dateTime={instant.toISOString()} title={day.format(instant)}>{(isToday ? clock : day).format(instant)}</time>
  )
}

/** `0.4 ms`, `350 ms`, `2.4 s`, `3 min 20 s`. */
export const duration = (millis: number): string => {
  if (millis > 0 && millis < 1) return `${millis.toFixed(1)} ms`
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  return `${Math.floor(millis / 60_000)} min ${Math.round(millis % 60_000 / 1000)} s`
}
