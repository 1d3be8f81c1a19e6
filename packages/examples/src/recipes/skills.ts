// # Give an agent skills
// Agents
//
// The model sees the names and descriptions of its skills, and reads the instructions and files of one when a task
// needs them. A skill of the code and one that is stored over the API are used alike.
//
// Try:
//   npm run node -- packages/examples/src/recipes/skills.ts
//   curl -X POST http://127.0.0.1:7777/skills -H "content-type: application/json" -d \
//     '{"text": "---\nname: greetings\ndescription: How to begin a letter\n---\nUse the first name."}'
//   svc run clerk "Write to Ann that order 7 is paid back"
//
// Change: `Skills.fromFolder("./skills")` reads the folders with a `SKILL.md`, and `Skills.fromSource` those of a
// repository or a bucket.
import { Agent, serve, Skills } from "@svc-runtime/server"

const refunds = Skills.make({
  text: `---
name: refunds
description: How an order is paid back. Read it before any refund.
---
Ask for the number of the order. Amounts above 100 euros need one of the reasons in reasons.md.`,
  files: { "reasons.md": "Damaged, late, or wrong." }
})

export const application = {
  agents: [Agent.make({ id: "clerk", instructions: "Write letters.", skills: [refunds, "greetings"] })]
}

if (import.meta.main) serve(application)
