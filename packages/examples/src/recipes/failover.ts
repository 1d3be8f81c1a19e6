// # Fall back to another provider
// Safety and limits
//
// If the model of an agent fails after its retries, the next one of the list answers. A provider that fails again and
// again is left out for a while.
//
// Try:
//   ANTHROPIC_API_KEY=… OPENAI_API_KEY=… npm run node -- packages/examples/src/recipes/failover.ts
//   svc run assistant "Hello"
//
// Change: an entry can be a name such as `"openai:gpt-5"`, or an object of the AI SDK.
import { Agent, serve } from "@svc-runtime/server"

type Model = Agent.Options["model"]

export const assistantWith = (model: Model, fallback: NonNullable<Model>) =>
  Agent.make({ id: "assistant", model, fallbackModels: [fallback] })

if (import.meta.main) serve({ agents: [assistantWith("anthropic:claude-sonnet-4-5", "openai:gpt-5")] })
