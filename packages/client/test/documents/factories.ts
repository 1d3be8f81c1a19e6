// The block of docs/factories.md that continues a run.
// #region
import { approve, Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })
const support = svc.agent("support")

const paused = await support.run({ message: "Refund order 17", factory_input: { tenant: "acme" } })
if (paused.status === "PAUSED") {
  await support.continue(paused, { ...approve(paused), factory_input: { tenant: "acme" } })
}
// #endregion
