// The pass rates and scores of a component's experiments with one dataset, from version to version.
import type { Experiment } from "@svc-runtime/client"
import type uPlot from "uplot"
import { colourOf, useDrawing } from "../metrics/Chart.tsx"
import { componentOf } from "../runs/RunsPage.tsx"
import { percent } from "./figures.ts"

const height = 150

interface Point {
  readonly label: string
  readonly passed: number
  readonly score: number | null
}

const versionOf = ({ component_version: version }: Experiment): number => version === null ? 0 : Number(version)

/** The latest one of each version. */
const pointsOf = (all: ReadonlyArray<Experiment>, of: ReadonlyArray<Experiment>): ReadonlyArray<Point> => {
  const components = new Set(of.map(componentOf))
  const ended = all.filter((each) => components.has(componentOf(each)) && each.summary !== null)
    .toSorted((one, other) => one.created_at < other.created_at ? -1 : 1)
  return [...new Map(ended.map((each) => [versionOf(each), each])).values()]
    .toSorted((one, other) => versionOf(one) - versionOf(other))
    .flatMap(({ component_version, summary }) =>
      summary === null ? [] : [{
        label: component_version === null ? "in code" : `version ${component_version}`,
        passed: summary.pass_rate,
        score: summary.score
      }]
    )
}

/** A scorer of yes or no gives no scores of their own. */
const hasScores = (points: ReadonlyArray<Point>): boolean =>
  points.some(({ passed, score }) => score !== null && Math.abs(score - passed) > 0.005)

const optionsOf = (points: ReadonlyArray<Point>, width: number): uPlot.Options => {
  const [text, grid] = [colourOf("quiet"), colourOf("line")]
  const axis = { stroke: text, ticks: { show: false }, font: "12px system-ui" }
  const line = (label: string, colour: string): uPlot.Series => ({
    label,
    stroke: colourOf(colour),
    width: 2,
    points: { show: true, size: 7, fill: colourOf(colour) }
  })
  const labelAt = (index: number) => {
    const point = points[index]
    return point === undefined ? "" : `${point.label}\n${percent(point.passed)}`
  }
  return {
    width,
    height,
    padding: [8, 24, 0, 0],
    scales: { x: { time: false, range: [-0.25, points.length - 0.75] }, y: { range: [0, 1.05] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 44,
        splits: () => points.map((_, index) => index).filter((index) => index % Math.ceil(points.length / 8) === 0),
        values: (_, splits) => splits.map(labelAt)
      },
      { ...axis, grid: { stroke: grid, width: 1 }, values: (_, splits) => splits.map(percent), size: 52 }
    ],
    cursor: { show: false },
    legend: { show: hasScores(points), live: false },
    series: [{}, line("Passed", "accent"), ...(hasScores(points) ? [line("Score", "good")] : [])]
  }
}

interface Props {
  readonly all: ReadonlyArray<Experiment>
  /** Of their components: the second one of a comparison can be in code. */
  readonly of: ReadonlyArray<Experiment>
}

export const Trend = ({ all, of }: Props) => {
  const points = pointsOf(all, of)
  const values = [
    points.map((_, index) => index),
    points.map(({ passed }) => passed),
    points.map(({ score }) => score)
  ]
  const place = useDrawing((width) => optionsOf(points, width), values, points)
  if (points.length < 2) return null
  const text = points.map(({ label, passed }) => `${label} ${percent(passed)}`).join(", ")
  return (
    <figure class="chart card trend">
      <figcaption>From version to version</figcaption>
      <div ref={place} role="img" aria-label={`Passed: ${text}`} />
    </figure>
  )
}
