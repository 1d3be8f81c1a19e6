import { assert, describe, it } from "@effect/vitest"
import * as event from "@svc-runtime/examples/recipes/event"
import * as field from "@svc-runtime/examples/recipes/field"
import * as form from "@svc-runtime/examples/recipes/form"
import * as refund from "@svc-runtime/examples/recipes/refund"
import * as Tier from "@svc-runtime/test-support/Tier"
import { assertStatus, scriptedModel, testService, toolCall } from "@svc-runtime/testing"

Tier.oneIn(2)

describe("recipes about people", () => {
  it("the tool continues with the values of the form, and the service refuses wrong values", async () => {
    const turns = () => scriptedModel([toolCall("book_table", { evening: "tonight" }), "See you."])
    await using service = await testService({ ...form.application, model: turns() })
    const run = await form.bookFor(service.client, { guests: 2, room: "garden" })
    assert.strictEqual(run.tools?.[0]?.result, "Booked the garden for 2.")
    await using other = await testService({ ...form.application, model: turns() })
    const refused = await form.bookFor(other.client, { guests: 0, room: "garden" }).catch((error) => error)
    assert.strictEqual(refused.status, 422)
  })

  it("the workflow waits for the fields of a person", async () => {
    await using service = await testService(field.application)
    const run = await field.sendParcel(service.client, "17", { street: "Main Street 1", city: "Basel" })
    assert.strictEqual(run.content, "Parcel 17 goes to Main Street 1, Basel.")
  })

  it("the refund is made after it was approved, and not before", async () => {
    const model = scriptedModel([toolCall("refund", { order: 17 }), "Done."])
    await using service = await testService({ ...refund.application, model })
    refund.refunded.length = 0
    const paused = await service.agent("clerk").run("Refund order 17")
    assertStatus(paused, "PAUSED")
    assert.deepStrictEqual(refund.refunded, [])
    await refund.approveAll(service.client)
    const { status } = await service.until(service.client.agent("clerk").watch(paused.output).result())
    assert.strictEqual(status, "COMPLETED")
    assert.deepStrictEqual(refund.refunded, [17])
  })

  it("the workflow continues with the event that it waits for, and ends without it when its time is over", async () => {
    await using service = await testService(event.application)
    const paused = await service.workflow("shipping").run("Order 17")
    const sent = await service.client.workflow("shipping").send(paused.output, "paid", { cents: 1200 })
    assert.strictEqual(sent.content, "Order 17 is sent, 1200 cents are paid.")
    const late = await service.workflow("shipping").run("Order 18")
    await service.advance("16 minutes")
    const { content } = await service.until(service.client.workflow("shipping").watch(late.output).result())
    assert.strictEqual(content, "Order 18 is cancelled.")
  })
})
