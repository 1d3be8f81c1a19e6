import { assert, describe, it } from "@effect/vitest"
import { attentionOf, cardsOf, type Facts, jobsOf, modelsOf } from "../src/system/health.ts"
import { quantileOf, samplesOf } from "../src/system/samples.ts"

const nothing: Facts = {
  isReady: true,
  nodes: undefined,
  samples: undefined,
  failed: undefined,
  schedules: undefined,
  webhooks: undefined,
  pending: undefined
}

const node = { node: "one", state: "alive", is_this_node: true, seconds_since_heartbeat: 1, runs: 0 } as const

const samples = samplesOf(`svc_model_requests_total{provider="OpenAI",model="gpt",outcome="ok"} 90
svc_model_requests_total{provider="OpenAI",model="gpt",outcome="error"} 10
svc_model_requests_total{provider="Demo",model="demo",outcome="ok"} 1
svc_model_request_duration_seconds_bucket{provider="OpenAI",model="gpt",le="0.5"} 50
svc_model_request_duration_seconds_bucket{provider="OpenAI",model="gpt",le="2"} 96
svc_model_request_duration_seconds_bucket{provider="OpenAI",model="gpt",le="+Inf"} 100
svc_jobs_waiting{kind="webhook-delivery"} 3
svc_jobs_waiting{kind="run_wake"} 0
svc_jobs_total{kind="usage",status="repeat"} 2
svc_model_provider_stopped{provider="OpenAI"} 1
svc_model_provider_stopped{provider="Demo"} 0
svc_runs_refused_total{scope="user",limit="runsPerMinute"} 4
process_resident_memory_bytes 252719104
`)

describe("The health of a service", () => {
  it("A service in which all is well needs no attention.", () => {
    assert.deepStrictEqual(attentionOf(nothing), [])
    const nodes = [{ db_id: "main", is_available: true, waiting_runs: 0, nodes: [node] }]
    assert.deepStrictEqual(attentionOf({ ...nothing, nodes, pending: [{ db_id: "main", count: 0 }] }), [])
  })

  it("What fails comes before what waits, each with the name of the thing.", () => {
    const nodes = [{
      db_id: "main",
      is_available: false,
      waiting_runs: 1,
      nodes: [node, { ...node, node: "two", state: "silent", seconds_since_heartbeat: 61.4 } as const]
    }]
    const found = attentionOf({ ...nothing, isReady: false, nodes, samples, pending: [{ db_id: "main", count: 2 }] })
    assert.deepStrictEqual(found.map(({ level, text }) => `${level}: ${text}`), [
      "bad: The service accepts no work",
      "bad: The database main does not reply",
      "bad: OpenAI fails, and gets no requests for the moment",
      "warn: 1 run of main waits for a node",
      "warn: The node two has been silent for 61 s",
      "warn: The database main lacks 2 migrations",
      "warn: 4 runs were refused by the limit runsPerMinute since this node started"
    ])
  })

  it("A share of measurements is read from the buckets of a histogram, and without measurements there is none.", () => {
    const own = samples.filter(({ labels }) => labels["model"] === "gpt")
    assert.strictEqual(quantileOf(own, "svc_model_request_duration_seconds", 0.95), 2)
    assert.strictEqual(quantileOf(own, "svc_model_request_duration_seconds", 0.99), Infinity)
    assert.strictEqual(quantileOf(samples, "svc_event_loop_delay_seconds", 0.95), undefined)
  })

  it("Models and jobs have a row each, and jobs that never ran and do not wait have none.", () => {
    assert.deepStrictEqual(modelsOf(samples), [
      { model: "OpenAI:gpt", requests: 100, failed: 10, p95: 2 },
      { model: "Demo:demo", requests: 1, failed: 0, p95: undefined }
    ])
    assert.deepStrictEqual(jobsOf(samples).map(({ kind, waiting }) => [kind, waiting]), [
      ["usage", 0],
      ["webhook-delivery", 3]
    ])
  })

  it("Sizes of memory have the units in which people write them.", () => {
    assert.deepStrictEqual(cardsOf(samples).find(({ title }) => title === "Memory")?.value, "253 MB")
  })
})
