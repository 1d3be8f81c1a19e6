// What the node that responds has counted since its start.
import { Folded } from "../parts/Json.tsx"
import { samplesOf, sumsOf } from "./samples.ts"

const facts: ReadonlyArray<readonly [title: string, name: string, by?: string]> = [
  ["Runs whose leases it holds", "svc_runs_held"],
  ["Runs in session queues", "svc_runs_queued"],
  ["Runs that it took over", "svc_takeovers_total", "reason"],
  ["Ended runs", "svc_runs_total", "status"],
  ["Requests to models", "svc_model_requests_total", "outcome"],
  ["Attempts of jobs", "svc_jobs_total", "status"],
  ["Refused runs", "svc_runs_refused_total", "limit"],
  ["Requests with a response", "svc_http_requests_total", "status"]
]

export const NodeMetrics = ({ text }: { readonly text: string }) => {
  const samples = samplesOf(text)
  return (
    <>
      <dl class="facts">
        {facts.flatMap(([title, name, by]) => {
          const sums = [...sumsOf(samples, name, by)].filter(([key, sum]) => key === "" || sum > 0)
          return sums.length === 0 ? [] : [
            <dt key={`title of ${name}`}>{title}</dt>,
            <dd key={name}>
              {sums.map(([key, sum]) =>
                key === "" ? sum.toLocaleString() : `${key.toLowerCase()}: ${sum.toLocaleString()}`
              ).join(", ")}
            </dd>
          ]
        })}
      </dl>
      <Folded title="All metrics" value={text} />
    </>
  )
}
