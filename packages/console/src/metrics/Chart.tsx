// Bars or a line over time, with axes. Pointing at it shows the values; the table below the charts has them as text.
import { useEffect, useRef } from "preact/hooks"
import uPlot from "uplot"
import { scheme } from "../colours.ts"
import type { Period } from "./usage.ts"

export interface Series {
  readonly title: string
  /** The name of a colour of the page. */
  readonly colour: "accent" | "good" | "bad" | "warn" | "quiet"
  /** For each start of the period. Null: nothing is known. */
  readonly values: ReadonlyArray<number | null>
}

interface Props {
  readonly title: string
  readonly period: Period
  readonly series: ReadonlyArray<Series>
  readonly isLine?: boolean
  readonly format: (value: number) => string
}

const height = 190

export const colourOf = (name: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" })
const hour = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })

const pathsOf = (isLine: boolean, index: number, count: number): Pick<uPlot.Series, "paths"> => {
  const paths = isLine
    ? uPlot.paths.spline?.()
    : uPlot.paths.bars?.({ size: [0.7 / count, 40], align: count === 1 ? 0 : index === 0 ? -1 : 1 })
  return paths === undefined ? {} : { paths }
}

const optionsOf = ({ format, isLine = false, period, series }: Props, width: number): uPlot.Options => {
  const [text, grid] = [colourOf("quiet"), colourOf("line")]
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: "12px system-ui" }
  const at = (seconds: number) => (period.interval === "day" ? day : hour).format(seconds * 1000)
  const step = (period.starts[1] ?? 0) - (period.starts[0] ?? 0)
  return {
    width,
    height,
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true, range: (_, min, max) => [min - step / 2000, max + step / 2000] },
      y: { range: (_, __, max) => [0, max === 0 || max === null ? 1 : max * 1.1] }
    },
    axes: [
      { ...axis, grid: { show: false }, values: (_, splits) => splits.map(at), space: 70 },
      { ...axis, values: (_, splits) => splits.map(format), size: 64 }
    ],
    cursor: { drag: { x: false, y: false }, points: { show: isLine } },
    series: [
      { label: "Time", value: (_, seconds) => seconds === null ? "" : at(seconds) },
      ...series.map(({ colour, title }, index): uPlot.Series => {
        const stroke = colourOf(colour)
        return {
          label: title,
          stroke,
          width: isLine ? 2 : 0,
          ...(isLine ? {} : { fill: stroke }),
          ...pathsOf(isLine, index, series.length),
          // a value between unknown ones has no line
          points: { show: isLine, size: 5 },
          spanGaps: true,
          // without a pointer on the chart there is no value
          value: (_, value, __, index) =>
            index === null ? "" : value === null || value === undefined ? "–" : format(value)
        }
      })
    ]
  }
}

/** Where a chart is drawn, again when what it shows or the colours have changed. It keeps the width of its place. */
export const useDrawing = (
  options: (width: number) => uPlot.Options,
  values: ReadonlyArray<ReadonlyArray<number | null>>,
  shown: unknown
) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = place
    if (current === null) return
    const given = options(current.clientWidth)
    const chart = new uPlot(given, values as uPlot.AlignedData, current)
    const observer = new ResizeObserver(() => chart.setSize({ width: current.clientWidth, height: given.height }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [JSON.stringify(shown), scheme()])
  return place
}

export const Chart = (props: Props) => {
  const { period, series, title } = props
  const values = [period.starts.map((start) => start / 1000), ...series.map(({ values }) => [...values])]
  const place = useDrawing((width) => optionsOf(props, width), values, [period, series])
  return (
    <figure class="chart card">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title}, by ${period.interval}`} />
    </figure>
  )
}
