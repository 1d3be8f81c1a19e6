// The block of docs/guides/agents.md that reads a structured answer.
// #region
import { Svc } from "@svc-runtime/client"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })

const stream = svc.agent("sorter").stream("Where is my parcel? I need it tomorrow!")
for await (const event of stream) {
  if (event.event === "RunContentPartial") console.log(event.content_partial)
}
const { content } = await stream.result()
// #endregion

export { content }
