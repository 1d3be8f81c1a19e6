// The list of approvals without a page.
import { assert, describe, it } from "@effect/vitest"
import { Svc } from "@svc-runtime/client"
import { ApprovalList } from "../src/ApprovalList.ts"

describe("the approvals of a page", () => {
  it("refresh() reads the list at once, and its last request counts", async () => {
    const sent: Array<(response: Response) => void> = []
    const fetch = () => new Promise<Response>((resolve) => sent.push(resolve))
    const client = new Svc({ baseUrl: "http://svc.example", fetch })
    const list = new ApprovalList(client, { status: "pending" }, 3_600_000)
    const respond = (index: number, ...ids: ReadonlyArray<string>) =>
      sent[index]?.(Response.json({ data: ids.map((id) => ({ id })), meta: {} }))
    const idsOf = () => list.state().approvals.map(({ id }) => id)
    const first = list.refresh()
    const second = list.refresh()
    await new Promise((resolve) => setImmediate(resolve))
    assert.lengthOf(sent, 2)
    respond(1, "a", "b")
    await second
    assert.deepStrictEqual(idsOf(), ["a", "b"])
    respond(0, "a")
    await first
    assert.deepStrictEqual([idsOf(), list.state().isLoading], [["a", "b"], false])
  })
})
