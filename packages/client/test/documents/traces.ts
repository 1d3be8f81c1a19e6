// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const { run_id } = await svc.agent("assistant").run("What is 17 times 23?")
const { data: [trace] } = await svc.traces.list({ run_id })
if (trace !== undefined) console.log(trace.duration, await svc.traces.get(trace.trace_id))

const slow = await svc.traces.search({ filter: { op: "GTE", key: "duration_ms", value: 1000 }, limit: 10 })
console.log(slow.data)
// #endregion
