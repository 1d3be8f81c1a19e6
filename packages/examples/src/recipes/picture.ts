// # Send a picture to an agent
// Agents
//
// A run takes files beside its message. The model of the agent gets them as they are, if it reads their type.
//
// Try:
//   npm run node -- packages/examples/src/recipes/picture.ts
//   svc run reader --file picture.png "What is in this picture?"
//
// Change: several files are several entries of `files`. An entry is a path, a blob, or bytes with a name.
import type { Svc } from "@svc-runtime/client"
import { Agent, serve } from "@svc-runtime/server"

const reader = Agent.make({ id: "reader", instructions: "Describe the picture in one sentence." })

export const application = { agents: [reader] }

export const describePicture = (svc: Svc, path: string) =>
  svc.agent("reader").run({ message: "What is in this picture?", files: [{ path }] })

if (import.meta.main) serve(application)
