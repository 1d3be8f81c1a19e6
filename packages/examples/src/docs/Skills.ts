import { Agent, Skills } from "@svc-runtime/server"

const refunds = Skills.make({
  text: `---
name: refunds
description: How to pay an order back. Use it before any refund.
---
Ask for the number of the order first. Amounts above 100 euros need a reason: see reasons.md.`,
  files: { "reasons.md": "Damaged, late, or wrong." }
})

export const desk = Agent.make({ id: "desk", skills: [refunds] })
