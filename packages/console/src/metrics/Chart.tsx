// A bar for each day. Pointing at a bar shows its value.
interface Bar {
  readonly title: string
  readonly value: number
}

interface Props {
  readonly title: string
  readonly bars: ReadonlyArray<Bar>
  readonly format: (value: number) => string
  readonly isBad?: boolean
}

const [barWidth, height] = [10, 100]

export const Chart = ({ bars, format, isBad = false, title }: Props) => {
  const maximum = Math.max(...bars.map(({ value }) => value), 0)
  return (
    <figure class="chart">
      <figcaption>
        {title} <span class="quiet">at most {format(maximum)} a day</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${Math.max(bars.length, 1) * barWidth} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} by day, at most ${format(maximum)}`}
        class={isBad ? "bad" : undefined}
      >
        {bars.map(({ title, value }, index) => {
          const tall = maximum === 0 ? 0 : value / maximum * height
          return (
            <rect key={title} x={index * barWidth + 1} y={height - tall} width={barWidth - 2} height={tall}>
              <title>{`${title}: ${format(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      <p class="ends quiet">
        <span>{bars[0]?.title}</span>
        <span>{bars.length > 1 ? bars.at(-1)?.title : null}</span>
      </p>
    </figure>
  )
}
