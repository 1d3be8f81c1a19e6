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

/** `0.4 ms`, `350 ms`, `2.4 s`, `3 min 20 s`, `5 h 12 min`, `3 d 4 h`. */
export const duration = (millis: number): string => {
  if (millis > 0 && millis < 1) return `${millis.toFixed(1)} ms`
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`
  const minutes = Math.floor(millis / 60_000)
  if (minutes < 60) return `${minutes} min ${Math.floor(millis % 60_000 / 1000)} s`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`
}
